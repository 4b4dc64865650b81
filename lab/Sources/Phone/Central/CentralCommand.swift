// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The commands of the central role (Core 5.4, Vol 4, Part E, 7.8), on the 1M PHY. The numbers are sections of that
/// part. An initiator listens all the time.
enum CentralCommand: HCICommand {
    /// LE Set Scan Parameters (7.8.10): active.
    case setScanParameters(own: BluetoothAddress.Kind, ScanDuty)
    /// LE Set Scan Enable (7.8.11): without a duplicate filter.
    case setScanEnable(Bool)
    /// LE Create Connection (7.8.12).
    case createConnection(BluetoothAddress, own: BluetoothAddress.Kind, ConnectionParameters)
    /// LE Create Connection Cancel (7.8.13).
    case createConnectionCancel
    /// LE Set Extended Scan Parameters (7.8.64): active.
    case setExtendedScanParameters(own: BluetoothAddress.Kind, ScanDuty)
    /// LE Set Extended Scan Enable (7.8.65): without a duplicate filter, without limits.
    case setExtendedScanEnable(Bool)
    /// LE Extended Create Connection [v1] (7.8.66).
    case extendedCreateConnection(BluetoothAddress, own: BluetoothAddress.Kind, ConnectionParameters)

    var opcode: HCIOpcode {
        switch self {
        case .setScanParameters: .leSetScanParameters
        case .setScanEnable: .leSetScanEnable
        case .createConnection: .leCreateConnection
        case .createConnectionCancel: .leCreateConnectionCancel
        case .setExtendedScanParameters: .leSetExtendedScanParameters
        case .setExtendedScanEnable: .leSetExtendedScanEnable
        case .extendedCreateConnection: .leExtendedCreateConnection
        }
    }

    func appendParameters(to packet: inout [UInt8]) {
        switch self {
        case .setScanParameters(let own, let duty): packet += [1] + duty.octets + [own.rawValue, 0]
        case .setScanEnable(let enabled): packet += [enabled ? 1 : 0, 0]
        case .createConnection(let peer, let own, let parameters):
            packet += ScanDuty.always.octets + [0x00, peer.kind.rawValue]
            peer.append(to: &packet)
            packet.append(own.rawValue)
            parameters.append(toCommand: &packet)
        case .createConnectionCancel: break
        case .setExtendedScanParameters(let own, let duty): packet += [own.rawValue, 0, 1, 1] + duty.octets
        case .setExtendedScanEnable(let enabled): packet += [enabled ? 1 : 0, 0, 0, 0, 0, 0]
        case .extendedCreateConnection(let peer, let own, let parameters):
            packet += [0x00, own.rawValue, peer.kind.rawValue]
            peer.append(to: &packet)
            packet += [0x01] + ScanDuty.always.octets
            parameters.append(toCommand: &packet)
        }
    }
}
