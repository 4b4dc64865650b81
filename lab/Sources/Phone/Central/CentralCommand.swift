// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral

/// The commands of the central role (Core 5.4, Vol 4, Part E, 7.8). The numbers are sections of that part. Scanning is
/// continuous: a window of 30 ms in each interval of 30 ms, on the 1M PHY.
enum CentralCommand: HCICommand {
    /// LE Set Scan Parameters (7.8.10): active.
    case setScanParameters(own: BluetoothAddress.Kind)
    /// LE Set Scan Enable (7.8.11): without a duplicate filter.
    case setScanEnable(Bool)
    /// LE Create Connection (7.8.12).
    case createConnection(BluetoothAddress, own: BluetoothAddress.Kind, ConnectionParameters)
    /// LE Create Connection Cancel (7.8.13).
    case createConnectionCancel
    /// LE Set Extended Scan Parameters (7.8.64): active.
    case setExtendedScanParameters(own: BluetoothAddress.Kind)
    /// LE Set Extended Scan Enable (7.8.65): without a duplicate filter, without limits.
    case setExtendedScanEnable(Bool)
    /// LE Extended Create Connection [v1] (7.8.66).
    case extendedCreateConnection(BluetoothAddress, own: BluetoothAddress.Kind, ConnectionParameters)

    /// Interval and window in units of 0.625 ms.
    private static let window: [UInt8] = [0x30, 0x00, 0x30, 0x00]

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
        case .setScanParameters(let own): packet += [1] + CentralCommand.window + [own.rawValue, 0]
        case .setScanEnable(let enabled): packet += [enabled ? 1 : 0, 0]
        case .createConnection(let peer, let own, let parameters):
            packet += CentralCommand.window + [0x00, peer.kind.rawValue]
            peer.append(to: &packet)
            packet.append(own.rawValue)
            parameters.append(toCommand: &packet)
        case .createConnectionCancel: break
        case .setExtendedScanParameters(let own): packet += [own.rawValue, 0, 1, 1] + CentralCommand.window
        case .setExtendedScanEnable(let enabled): packet += [enabled ? 1 : 0, 0, 0, 0, 0, 0]
        case .extendedCreateConnection(let peer, let own, let parameters):
            packet += [0x00, own.rawValue, peer.kind.rawValue]
            peer.append(to: &packet)
            packet += [0x01] + CentralCommand.window
            parameters.append(toCommand: &packet)
        }
    }
}
