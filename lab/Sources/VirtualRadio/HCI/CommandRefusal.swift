// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The refusal of a command: the status to return, and the host's violation, if any.
struct CommandRefusal: Error {
    let status: HCIStatus
    /// The violation to record; nil if a correct host can receive this status.
    let complaint: String?

    /// A refusal caused by a violation of the host.
    static func violation(_ status: HCIStatus, _ complaint: String) -> CommandRefusal {
        CommandRefusal(status: status, complaint: complaint)
    }

    /// A refusal that a correct host can receive.
    static func blameless(_ status: HCIStatus) -> CommandRefusal {
        CommandRefusal(status: status, complaint: nil)
    }
}

/// Status codes that only controllers use (Core 5.4, Vol 1, Part F).
enum ControllerStatus {
    static let keyMissing = HCIStatus(rawValue: 0x06)
    static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    static let connectionAlreadyExists = HCIStatus(rawValue: 0x0B)
    static let unsupportedRemoteFeature = HCIStatus(rawValue: 0x1A)
    static let unspecifiedError = HCIStatus(rawValue: 0x1F)
    static let advertisingTimeout = HCIStatus(rawValue: 0x3C)
    static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
}
