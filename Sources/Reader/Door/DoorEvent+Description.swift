/// Texts for a log.
extension DoorEvent {
    /// The event in a few words, as in `unlocked for a grant`.
    public var summary: String {
        switch self {
        case .released(let cause): "unlocked for \(cause.summary)"
        case .secured(let cause): "secured after \(cause.summary)"
        case .opened: "opened"
        case .forced: "alarm: opened by force, nobody was let through"
        case .ajarWarning: "stands open; an alarm follows if it is not closed"
        case .ajar: "alarm: stands open for too long"
        case .alarmLasts(.forced): "alarm lasts: opened by force"
        case .alarmLasts(.ajar): "alarm lasts: stands open for too long"
        case .closed: "closed"
        case .restored(.forced): "alarm over: opened by force"
        case .restored(.ajar): "alarm over: stood open for too long"
        case .exitRequest(let active): active ? "exit requested" : "exit request ended"
        case .fire(let active): active ? "fire input active" : "fire input at rest"
        case .tamper(let active): active ? "alarm: housing opened" : "housing closed"
        case .tamperReset: "tamper reset by an operator"
        case .lockdown(let active): active ? "lockdown: nobody is let in" : "lockdown ended"
        case .lockout(let active):
            active ? "too many refused attempts: nobody is let in for a while" : "attempts are looked at again"
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
        case .fire: "fire"
        }
    }
}
