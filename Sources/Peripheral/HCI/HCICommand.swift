// SPDX-License-Identifier: Apache-2.0

import Octets

/// An HCI command (Core 5.4, Vol 4, Part E, 5.4.1).
public protocol HCICommand: Sendable {
    /// The opcode.
    var opcode: HCIOpcode { get }
    /// Appends the parameters, at most 255 octets.
    func appendParameters(to packet: inout [UInt8])
}

extension HCICommand {
    /// Appends the packet: type, opcode, length, parameters (Core 5.4, Vol 4, Part A, 2 and Part E, 5.4.1).
    public func appendPacket(to packet: inout [UInt8]) {
        packet.append(H4PacketType.command.rawValue)
        packet.append(littleEndian: opcode.rawValue)
        packet.appendCounted { appendParameters(to: &$0) }
    }
}

extension [UInt8] {
    /// Appends the number of the octets that `write` appends, 0 to 255, and these octets.
    mutating func appendCounted(_ write: (inout [UInt8]) -> Void) {
        let mark = count
        append(0)
        write(&self)
        self[mark] = UInt8(truncatingIfNeeded: count - mark - 1)
    }
}

/// The commands of a host in either role (Core 5.4, Vol 4, Part E, 7). The numbers are sections of that part.
public enum HostCommand: HCICommand, Equatable {
    /// A command without parameters.
    case bare(HCIOpcode)
    /// Disconnect (7.1.6), answered by Command Status.
    case disconnect(handle: UInt16, reason: HCIStatus)
    /// Read Remote Version Information (7.1.23), answered by Command Status.
    case readRemoteVersion(handle: UInt16)
    /// Set Event Mask (7.3.1).
    case setEventMask(UInt64)
    /// Read RSSI (7.5.4).
    case readRSSI(handle: UInt16)
    /// LE Set Event Mask (7.8.1).
    case leSetEventMask(UInt64)
    /// LE Set Random Address (7.8.4).
    case leSetRandomAddress(BluetoothAddress)
    /// LE Connection Update (7.8.18), answered by Command Status. In the peripheral role it requires a controller with
    /// the Connection Parameters Request procedure.
    case leConnectionUpdate(handle: UInt16, ConnectionParameters)
    /// LE Long Term Key Request Reply (7.8.25).
    case leLongTermKeyRequestReply(handle: UInt16, Value128)
    /// LE Long Term Key Request Negative Reply (7.8.26).
    case leLongTermKeyRequestNegativeReply(handle: UInt16)
    /// LE Remote Connection Parameter Request Reply (7.8.31).
    case leRemoteConnectionParameterRequestReply(handle: UInt16, ConnectionParameters)
    /// LE Set Data Length (7.8.33), to the maximum on the 1M PHY.
    case leSetDataLength(handle: UInt16)
    /// LE Write Suggested Default Data Length (7.8.35), to the maximum on the 1M PHY.
    case leWriteSuggestedDefaultDataLength
    /// LE Read Remote Transmit Power Level (7.8.118) on a PHY, answered by Command Status.
    case leReadRemoteTransmitPowerLevel(handle: UInt16, phy: UInt8)
    /// LE Set Transmit Power Reporting Enable (7.8.121): the peer's changes are reported, the local ones are not.
    case leReportRemoteTransmitPower(handle: UInt16)

    /// The opcode.
    public var opcode: HCIOpcode {
        switch self {
        case .bare(let opcode): opcode
        case .disconnect: .disconnect
        case .readRemoteVersion: .readRemoteVersion
        case .setEventMask: .setEventMask
        case .readRSSI: .readRSSI
        case .leSetEventMask: .leSetEventMask
        case .leSetRandomAddress: .leSetRandomAddress
        case .leConnectionUpdate: .leConnectionUpdate
        case .leLongTermKeyRequestReply: .leLongTermKeyRequestReply
        case .leLongTermKeyRequestNegativeReply: .leLongTermKeyRequestNegativeReply
        case .leRemoteConnectionParameterRequestReply: .leRemoteConnectionParameterRequestReply
        case .leSetDataLength: .leSetDataLength
        case .leWriteSuggestedDefaultDataLength: .leWriteSuggestedDefaultDataLength
        case .leReadRemoteTransmitPowerLevel: .leReadRemoteTransmitPowerLevel
        case .leReportRemoteTransmitPower: .leSetTransmitPowerReportingEnable
        }
    }

    /// Appends the parameters.
    public func appendParameters(to packet: inout [UInt8]) {
        switch self {
        case .bare: break
        case .disconnect(let handle, let reason):
            packet.append(littleEndian: handle)
            packet.append(reason.rawValue)
        case .setEventMask(let mask), .leSetEventMask(let mask): packet.append(littleEndian: mask)
        case .readRSSI(let handle), .readRemoteVersion(let handle), .leLongTermKeyRequestNegativeReply(let handle):
            packet.append(littleEndian: handle)
        case .leSetRandomAddress(let address): address.append(to: &packet)
        case .leConnectionUpdate(let handle, let parameters),
            .leRemoteConnectionParameterRequestReply(let handle, let parameters):
            packet.append(littleEndian: handle)
            parameters.append(toCommand: &packet)
        case .leLongTermKeyRequestReply(let handle, let key):
            packet.append(littleEndian: handle)
            key.append(leastSignificantFirstTo: &packet)
        case .leSetDataLength(let handle):
            packet.append(littleEndian: handle)
            HostCommand.appendDataLength(to: &packet)
        case .leWriteSuggestedDefaultDataLength: HostCommand.appendDataLength(to: &packet)
        case .leReadRemoteTransmitPowerLevel(let handle, let phy):
            packet.append(littleEndian: handle)
            packet.append(phy)
        case .leReportRemoteTransmitPower(let handle):
            packet.append(littleEndian: handle)
            packet.append(0x00)  // Local_Enable
            packet.append(0x01)  // Remote_Enable
        }
    }

    private static func appendDataLength(to packet: inout [UInt8]) {
        packet.append(littleEndian: SuggestedDataLength.requested.octets)
        packet.append(littleEndian: SuggestedDataLength.requested.time)
    }
}

extension HCIStatus {
    /// The reasons that Disconnect accepts (7.1.6).
    static let disconnectReasons: [HCIStatus] = [
        .authenticationFailure, .remoteUserTerminated, .remoteLowResources, .remotePowerOff,
        .unsupportedRemoteFeature, HCIStatus(rawValue: 0x29), .unacceptableConnectionParameters,
    ]

    /// The reason for Disconnect: this one, or Remote User Terminated if the command does not accept it.
    var disconnectReason: HCIStatus { HCIStatus.disconnectReasons.contains(self) ? self : .remoteUserTerminated }
}
