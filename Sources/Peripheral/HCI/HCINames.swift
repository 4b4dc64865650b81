// SPDX-License-Identifier: Apache-2.0

import Octets

extension HCIOpcode {
    /// The command with this opcode for people: `LE Set Advertising Enable (0x200A)`.
    public static func description(of opcode: UInt16) -> String {
        let digits = "0x" + opcode.padded(to: 4, radix: 16, uppercase: true)
        guard let name = HCIOpcode(rawValue: opcode)?.name else { return "command \(digits)" }
        return "\(name) (\(digits))"
    }

    /// The name in the specification of a command that a peripheral host sends; nil for another.
    private var name: String? {
        switch self {
        case .disconnect: "Disconnect"
        case .setEventMask: "Set Event Mask"
        case .reset: "Reset"
        case .readLocalVersion: "Read Local Version Information"
        case .readLocalSupportedCommands: "Read Local Supported Commands"
        case .readBufferSize: "Read Buffer Size"
        case .readBDADDR: "Read BD_ADDR"
        case .readRSSI: "Read RSSI"
        case .leSetEventMask: "LE Set Event Mask"
        case .leReadBufferSize, .leReadBufferSizeV2: "LE Read Buffer Size"
        case .leReadLocalSupportedFeatures: "LE Read Local Supported Features"
        case .leSetRandomAddress: "LE Set Random Address"
        case .leSetAdvertisingParameters: "LE Set Advertising Parameters"
        case .leSetAdvertisingData: "LE Set Advertising Data"
        case .leSetScanResponseData: "LE Set Scan Response Data"
        case .leSetAdvertisingEnable: "LE Set Advertising Enable"
        case .leReadSuggestedDefaultDataLength: "LE Read Suggested Default Data Length"
        case .leSetAdvertisingSetRandomAddress: "LE Set Advertising Set Random Address"
        case .leSetExtendedAdvertisingParameters: "LE Set Extended Advertising Parameters"
        case .leSetExtendedAdvertisingData: "LE Set Extended Advertising Data"
        case .leSetExtendedScanResponseData: "LE Set Extended Scan Response Data"
        case .leSetExtendedAdvertisingEnable: "LE Set Extended Advertising Enable"
        case .leRemoveAdvertisingSet: "LE Remove Advertising Set"
        default: nil
        }
    }
}

extension HCIStatus: CustomStringConvertible {
    /// The code, with its name in the specification (Core 5.4, Vol 1, Part F, 1.3) where advertising can fail with it:
    /// `0x12, Invalid HCI Command Parameters`.
    public var description: String {
        let digits = "0x" + rawValue.padded(to: 2, radix: 16, uppercase: true)
        return name.map { "\(digits), \($0)" } ?? digits
    }

    private var name: String? {
        switch self {
        case .unknownCommand: "Unknown HCI Command"
        case .unknownConnection: "Unknown Connection Identifier"
        case .hardwareFailure: "Hardware Failure"
        case HCIStatus(rawValue: 0x07): "Memory Capacity Exceeded"
        case .connectionLimitExceeded: "Connection Limit Exceeded"
        case .commandDisallowed: "Command Disallowed"
        case .limitedResources: "Connection Rejected due to Limited Resources"
        case .unsupportedFeature: "Unsupported Feature or Parameter Value"
        case .invalidParameters: "Invalid HCI Command Parameters"
        case .unspecifiedError: "Unspecified Error"
        case .unknownAdvertisingIdentifier: "Unknown Advertising Identifier"
        case .limitReached: "Limit Reached"
        default: nil
        }
    }
}
