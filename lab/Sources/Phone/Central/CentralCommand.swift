import Octets
import Peripheral

/// The commands that a central sends (Core 5.4, Vol 4, Part E, 7.1 to 7.8).
enum CentralCommand {
    static let disconnect: UInt16 = 0x0406
    static let setEventMask: UInt16 = 0x0C01
    static let reset: UInt16 = 0x0C03
    static let readSupportedCommands: UInt16 = 0x1002
    static let readBufferSize: UInt16 = 0x1005
    static let readBDAddress: UInt16 = 0x1009
    static let setLEEventMask: UInt16 = 0x2001
    static let readLEBufferSize: UInt16 = 0x2002
    static let readLEFeatures: UInt16 = 0x2003
    static let setRandomAddress: UInt16 = 0x2005
    static let setScanParameters: UInt16 = 0x200B
    static let setScanEnable: UInt16 = 0x200C
    static let createConnection: UInt16 = 0x200D
    static let createConnectionCancel: UInt16 = 0x200E
    static let connectionUpdate: UInt16 = 0x2013
    static let connectionParameterRequestReply: UInt16 = 0x2020
    static let writeSuggestedDataLength: UInt16 = 0x2024
    static let setExtendedScanParameters: UInt16 = 0x2041
    static let setExtendedScanEnable: UInt16 = 0x2042
    static let extendedCreateConnection: UInt16 = 0x2043

    /// An H4 command packet.
    static func packet(_ opcode: UInt16, _ parameters: [UInt8] = []) -> [UInt8] {
        var packet: [UInt8] = [0x01]
        packet.append(littleEndian: opcode)
        packet.append(UInt8(truncatingIfNeeded: parameters.count))
        return packet + parameters
    }
}

extension [UInt8] {
    /// Appends the address type and the six octets of the address, least significant first.
    mutating func append(_ address: BluetoothAddress) {
        append(address.kind.rawValue)
        append(octetsOf: address)
    }

    /// Appends the six octets of an address, least significant first.
    mutating func append(octetsOf address: BluetoothAddress) {
        append(littleEndian: UInt32(truncatingIfNeeded: address.value))
        append(littleEndian: UInt16(truncatingIfNeeded: address.value >> 32))
    }

    /// Appends minimum and maximum interval, latency, time-out, and no preference for the connection event length.
    mutating func append(_ settings: ConnectionSettings) {
        for value in [settings.intervalUnits, settings.intervalUnits, settings.latencyEvents, settings.timeoutUnits] {
            append(littleEndian: value)
        }
        append(littleEndian: UInt32(0))
    }
}

extension OctetCursor {
    /// Reads the six octets of an address.
    mutating func address(
        _ bytes: Span<UInt8>, kind: BluetoothAddress.Kind
    ) throws(OctetError) -> BluetoothAddress {
        let low = UInt64(try u32(bytes))
        return BluetoothAddress(kind: kind, value: low | UInt64(try u16(bytes)) << 32)
    }
}
