import Peripheral

/// A command that is not carried out: the status to answer with, and what the host did wrong, if it did.
struct CommandRefusal: Error {
    let status: HCIStatus
    /// Goes into the controller's violations; nil where a correct host can get this answer.
    let complaint: String?

    /// A refusal for which the host is to blame.
    static func violation(_ status: HCIStatus, _ complaint: String) -> CommandRefusal {
        CommandRefusal(status: status, complaint: complaint)
    }

    /// A refusal that a correct host can meet.
    static func blameless(_ status: HCIStatus) -> CommandRefusal {
        CommandRefusal(status: status, complaint: nil)
    }
}

/// Statuses that only controllers speak of (Core 5.4, Vol 1, Part F).
enum ControllerStatus {
    static let keyMissing = HCIStatus(rawValue: 0x06)
    static let memoryCapacityExceeded = HCIStatus(rawValue: 0x07)
    static let connectionAlreadyExists = HCIStatus(rawValue: 0x0B)
    static let unsupportedRemoteFeature = HCIStatus(rawValue: 0x1A)
    static let advertisingTimeout = HCIStatus(rawValue: 0x3C)
    static let unknownAdvertisingIdentifier = HCIStatus(rawValue: 0x42)
}
