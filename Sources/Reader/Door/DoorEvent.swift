// SPDX-License-Identifier: Apache-2.0

/// An event at a door, for the event log and for operators.
public enum DoorEvent: Equatable, Sendable {
    /// The lock was released for this cause.
    case released(ReleaseCause)
    /// The lock was secured after this cause.
    case secured(after: ReleaseCause)
    /// The door has opened, and was permitted to.
    case opened
    /// The door was forced: it has opened without permission.
    case forced
    /// The door will soon have been held open for too long.
    case heldOpenWarning
    /// The door is held open for too long.
    case heldOpenTooLong
    /// An alarm of the contact lasts; repeated every `ContactTimes.alarmRepeat`.
    case alarmLasts(ContactAlarm)
    /// The door has closed.
    case closed
    /// An alarm of the contact has ended: the door has closed, or may stand open.
    case restored(ContactAlarm)
    /// The exit input has changed.
    case exitRequest(active: Bool)
    /// The fire input has changed.
    case fire(active: Bool)
    /// The housing was opened, or closed.
    case tamper(active: Bool)
    /// An operator has reset a tamper block.
    case tamperReset
    /// A lockdown has begun or ended.
    case lockdown(active: Bool)
    /// A lockout after too many refused attempts has begun or ended.
    case lockout(active: Bool)
}

extension DoorEvent {
    /// True if the lock is released after the event, false if it is secured; nil if the event changes neither.
    public var isUnlocked: Bool? {
        switch self {
        case .released: true
        case .secured: false
        default: nil
        }
    }
}

/// A cause that releases the lock.
public enum ReleaseCause: Equatable, Sendable {
    /// A grant, for one pulse.
    case pulse
    /// A grant, for the extended time.
    case extended
    /// Office mode, by command.
    case office
    /// The office schedule.
    case schedule
    /// An access panel.
    case panel
    /// A request to exit.
    case exit
    /// Fire.
    case fire
}

/// An alarm of the door contact, with its name in the status and for a fleet (docs/operate/control.md).
public enum ContactAlarm: String, CaseIterable, Equatable, Sendable {
    /// The door was forced.
    case forced
    /// The door is held open for too long.
    case heldOpenTooLong = "ajar"
}

/// An authorised request to a door.
public enum DoorRequest: Equatable, Sendable {
    /// Unlock for one pulse.
    case pulse
    /// Unlock for the extended time.
    case extended
    /// Unlock for one pulse of another length.
    case pulseOf(Duration)
    /// Office mode on: unlocked until it is switched off.
    case officeOn
    /// Office mode off; also ends a pulse or an extended opening.
    case officeOff
    /// Office mode on if the door is secured, otherwise off.
    case toggleOffice
}

/// The door's answer to a request; the raw value is its name in machine-readable output.
public enum DoorVerdict: String, Equatable, Sendable {
    /// Carried out.
    case done
    /// Refused: the door is not started, or was shut down.
    case inactive
    /// Refused: lockdown.
    case lockdown
    /// Refused: the housing was opened, and the tamper policy blocks the door until a reset.
    case tampered
    /// Refused: too many attempts were refused before.
    case lockedOut = "locked-out"
    /// Refused: an access panel decides, and it is silent or cannot be asked for this.
    case leftToPanel = "left-to-panel"
}
