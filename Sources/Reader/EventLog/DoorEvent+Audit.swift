extension DoorEvent {
    /// The kind that it is recorded as; nil for what follows from another record, such as the lock after a grant, and
    /// for what only repeats or ends.
    public var auditKind: AuditKind? {
        switch self {
        // What holds the door open is on record from its beginning to its end: `AccessReader.recordHold`.
        case .released, .secured, .alarmLasts, .exitRequest(active: false): nil
        case .opened: .doorOpened
        case .forced: .doorForced
        case .ajarWarning: .doorAjarSoon
        case .ajar: .doorAjar
        case .closed: .doorClosed
        case .restored: .doorRestored
        case .exitRequest(active: true): .requestToExit
        case .fire(let active): active ? .fire : .fireRestored
        case .tamper(let active): active ? .tamper : .tamperRestored
        case .tamperReset: .tamperReset
        case .lockdown(let active): active ? .lockdown : .lockdownEnded
        case .lockout(let active): active ? .lockedOut : .lockedOutEnded
        }
    }
}
