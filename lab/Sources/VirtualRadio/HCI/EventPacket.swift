// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// Encoding of H4 event packets (Core 5.4, Vol 4, Part E, 5.4.4 and 7.7).
enum EventPacket {
    /// The H4 packet type of an event (Core 5.4, Vol 4, Part A, 2).
    static let type: UInt8 = 0x04

    /// An event with these parameters, at most 255 octets.
    static func event(_ code: UInt8, _ parameters: [UInt8]) -> [UInt8] {
        [type, code, UInt8(truncatingIfNeeded: parameters.count)] + parameters
    }

    /// Command Complete (7.7.14); the host may send one more command.
    static func commandComplete(_ opcode: UInt16, _ status: HCIStatus, _ returned: [UInt8]) -> [UInt8] {
        var parameters: [UInt8] = [1]
        parameters.append(littleEndian: opcode)
        parameters.append(status.rawValue)
        return event(0x0E, parameters + returned)
    }

    /// Command Status (7.7.15); the host may send one more command.
    static func commandStatus(_ opcode: UInt16, _ status: HCIStatus) -> [UInt8] {
        var parameters: [UInt8] = [status.rawValue, 1]
        parameters.append(littleEndian: opcode)
        return event(0x0F, parameters)
    }

    /// Number Of Completed Packets (7.7.19) for one link.
    static func completedPackets(_ handle: UInt16, _ count: UInt16) -> [UInt8] {
        var parameters: [UInt8] = [1]
        parameters.append(littleEndian: handle)
        parameters.append(littleEndian: count)
        return event(0x13, parameters)
    }

    /// An ACL packet for the host: a start (boundary 10b) or a continuation (01b).
    static func acl(_ handle: UInt16, isStart: Bool, _ data: ArraySlice<UInt8>) -> [UInt8] {
        var packet: [UInt8] = [0x02]
        packet.append(littleEndian: handle | (isStart ? 0x2000 : 0x1000))
        packet.append(littleEndian: UInt16(truncatingIfNeeded: data.count))
        return packet + data
    }
}

/// Maskable event codes (Core 5.4, Vol 4, Part E, 7.3.1).
enum EventCode {
    static let disconnectionComplete: UInt8 = 0x05
    static let encryptionChange: UInt8 = 0x08
    static let readRemoteVersionComplete: UInt8 = 0x0C
    static let hardwareError: UInt8 = 0x10
    static let dataBufferOverflow: UInt8 = 0x1A
    static let keyRefreshComplete: UInt8 = 0x30
    static let leMeta: UInt8 = 0x3E
}

/// Subevents of the LE Meta event (Core 5.4, Vol 4, Part E, 7.7.65); the mask bit is one below the code.
enum Subevent {
    static let connectionComplete: UInt8 = 0x01
    static let advertisingReport: UInt8 = 0x02
    static let connectionUpdateComplete: UInt8 = 0x03
    static let readRemoteFeaturesComplete: UInt8 = 0x04
    static let longTermKeyRequest: UInt8 = 0x05
    static let remoteConnectionParameterRequest: UInt8 = 0x06
    static let dataLengthChange: UInt8 = 0x07
    static let enhancedConnectionComplete: UInt8 = 0x0A
    static let extendedAdvertisingReport: UInt8 = 0x0D
    static let scanTimeout: UInt8 = 0x11
    static let advertisingSetTerminated: UInt8 = 0x12
    static let channelSelectionAlgorithm: UInt8 = 0x14
    static let transmitPowerReporting: UInt8 = 0x21
}

extension [UInt8] {
    /// Appends the six octets of a device address, least significant first.
    mutating func append(address value: UInt64) {
        append(littleEndian24: UInt32(truncatingIfNeeded: value & 0xFF_FFFF))
        append(littleEndian24: UInt32(truncatingIfNeeded: value >> 24))
    }

    /// Appends the address type and the address.
    mutating func append(_ address: BluetoothAddress) {
        append(address.kind.rawValue)
        append(address: address.value)
    }
}
