// SPDX-License-Identifier: Apache-2.0

/// A reason why a restart of the reader would disturb its users now, or change the state of the door.
public enum Disturbance: String, CaseIterable, Sendable {
    /// A phone that was served is connected, or touches; or one brings the device into a network.
    case links
    /// An opening waits for its record.
    case opening
    /// The lock is released.
    case unlocked
    /// The door stands open, or its contact is in alarm.
    case open
    /// A lockdown is in force; it would end.
    case lockdown
    /// The housing is open, or access is blocked after a tamper; the alarm would be forgotten.
    case tamper
    /// An order of a back end or its desired state is under way.
    case orders
    /// Events are not on the disk yet.
    case events
}

extension ReaderDevice {
    /// The reasons that the device and its door have; empty if it can be restarted unnoticed.
    public var disturbances: Set<Disturbance> {
        let door = reader.doorStatus
        var found: Set<Disturbance> = []
        if isServing { found.insert(.links) }
        if reader.ledger.hasOpenings { found.insert(.opening) }
        if door.isUnlocked { found.insert(.unlocked) }
        if door.standsOpen || door.alarm != nil { found.insert(.open) }
        if door.isLockdown { found.insert(.lockdown) }
        if door.isTampered || door.isBlocked { found.insert(.tamper) }
        return found
    }
}
