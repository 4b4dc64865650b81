/// What happened at a door, for the record and for people.
public enum DoorEvent: Equatable, Sendable {
    /// People may pass, and why.
    case released(ReleaseCause)
    /// They may not any more; what had let them.
    case secured(after: ReleaseCause)
    /// The contact says that the door has opened, as it may.
    case opened
    /// The door has opened though nobody was let through.
    case forced
    /// The door will have stood open for too long soon.
    case ajarWarning
    /// The door has stood open for too long.
    case ajar
    /// An alarm of the contact still lasts; told again every `ContactTimes.alarmRepeat`.
    case alarmLasts(ContactAlarm)
    /// The door has closed.
    case closed
    /// An alarm of the contact is over: the door has closed, or may stand open.
    case restored(ContactAlarm)
    /// Somebody asked to go out, or does not any more.
    case exitRequest(active: Bool)
    /// The fire input.
    case fire(active: Bool)
    /// The housing was opened, or closed.
    case tamper(active: Bool)
    /// An operator has reset a tamper that blocked the door.
    case tamperReset
    /// A lockdown began, or ended.
    case lockdown(active: Bool)
    /// Nobody is let in for a while, since too many attempts were refused; or that is over.
    case lockout(active: Bool)
}

extension DoorEvent {
    /// Whether people may pass from then on; nil for an event that changes nothing about that.
    public var isUnlocked: Bool? {
        switch self {
        case .released: true
        case .secured: false
        default: nil
        }
    }
}

/// Why people may pass.
public enum ReleaseCause: Equatable, Sendable {
    /// A grant, for one pulse.
    case pulse
    /// A grant, for the extended time.
    case extended
    /// Office mode, by command.
    case office
    /// The office schedule.
    case schedule
    /// A request to exit.
    case exit
    /// Fire.
    case fire
}

/// An alarm of the contact.
public enum ContactAlarm: Equatable, Sendable {
    /// The door opened though nobody was let through.
    case forced
    /// The door has stood open for too long.
    case ajar
}

/// What somebody who is entitled to it asks of a door.
public enum DoorRequest: Equatable, Sendable {
    /// To be let through.
    case pulse
    /// To keep it unlocked for the extended time.
    case extended
    /// To unlock it for one pulse of another length.
    case pulseOf(Duration)
    /// Office mode on: unlocked until it is switched off.
    case officeOn
    /// Office mode off; also ends a pulse or an extended opening.
    case officeOff
    /// Office mode on if the door is secured, else off.
    case toggleOffice
}

/// What became of a request.
public enum DoorVerdict: Equatable, Sendable {
    /// It has been done.
    case done
    /// The door is not in use: before its start or after its end.
    case inactive
    /// There is a lockdown.
    case lockdown
    /// The housing was opened, and the policy is to let nobody in until that is reset.
    case tampered
    /// Too many attempts were refused.
    case lockedOut

    /// A word for machines.
    public var name: String {
        switch self {
        case .done: "done"
        case .inactive: "inactive"
        case .lockdown: "lockdown"
        case .tampered: "tampered"
        case .lockedOut: "locked-out"
        }
    }
}
