// SPDX-License-Identifier: Apache-2.0

/// Texts for a log.
extension DoorEvent {
    /// The event in a few words, as in `unlocked for a grant`.
    public var summary: String {
        switch self {
        case .released(let cause): "unlocked for \(cause.summary)"
        case .secured(let cause): "secured after \(cause.summary)"
        case .opened: "opened"
        case .forced: "alarm: door forced"
        case .heldOpenWarning: "held open: alarm unless closed"
        case .heldOpenTooLong: "alarm: held open too long"
        case .alarmLasts(.forced): "alarm continues: door forced"
        case .alarmLasts(.heldOpenTooLong): "alarm continues: held open too long"
        case .closed: "closed"
        case .restored(.forced): "alarm ended: door forced"
        case .restored(.heldOpenTooLong): "alarm ended: held open too long"
        case .exitRequest(let active): active ? "exit requested" : "exit request ended"
        case .fire(let active): active ? "fire input active" : "fire input inactive"
        case .tamper(let active): active ? "alarm: housing opened" : "housing closed"
        case .tamperReset: "tamper reset by an operator"
        case .lockdown(let active): active ? "lockdown: access is refused" : "lockdown ended"
        case .lockout(let active):
            active ? "lockout: too many refused attempts" : "lockout ended"
        }
    }
}

extension ReleaseCause {
    /// The cause in a few words.
    public var summary: String {
        switch self {
        case .pulse: "a grant"
        case .extended: "a grant with extended time"
        case .office: "office mode"
        case .schedule: "the office schedule"
        case .exit: "a request to exit"
        case .panel: "the panel"
        case .fire: "fire"
        }
    }
}
