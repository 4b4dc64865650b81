// SPDX-License-Identifier: Apache-2.0

extension DoorEvent {
    /// The kind of the event's record; nil for events that follow from another record, such as the lock after a grant,
    /// and for those that only repeat or end.
    public var auditKind: AuditKind? {
        switch self {
        case .released(.panel): .panelUnlocked
        // Office mode and hours are recorded by `DoorControl.recordHold`.
        case .released, .secured, .alarmLasts, .exitRequest(active: false): nil
        case .opened: .doorOpened
        case .forced: .doorForced
        case .heldOpenWarning: .doorHeldOpenWarning
        case .heldOpenTooLong: .doorHeldOpenTooLong
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
