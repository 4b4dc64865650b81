import Timekeeping

/// The door as the reader runs it: its time, and what is told and recorded of it.
extension AccessReader {
    /// Does what is due at the door.
    mutating func advanceDoor(to moment: Moment) {
        advanceInputs(to: moment)
        followOfficeHours(at: moment)
        door.advance(to: moment.instant, into: &doorActions)
        settleDoor(at: moment)
    }

    /// Tells and records what happened at the door.
    mutating func settleDoor(at moment: Moment) {
        tellDoor()
        guard !untimedDoorEvents.isEmpty else { return }
        let time = AuditTime(moment, zone: configuration.zone)
        for event in untimedDoorEvents {
            guard let kind = event.auditKind else { continue }
            auditEvents.append(AuditEvent(kind, at: time, channel: event.isByCommand ? .reader : .local))
        }
        untimedDoorEvents.removeAll(keepingCapacity: true)
    }

    /// Tells what happened at the door so far; it is recorded when the input that caused it is done with.
    mutating func tellDoor() {
        guard !door.events.isEmpty else { return }
        for event in door.events { notices.append(.door(event)) }
        if configuration.isAudited { untimedDoorEvents += door.events }
        door.events.removeAll(keepingCapacity: true)
    }
}

extension DoorEvent {
    /// Whether it follows from what a credential or an operator asked, whose own record says who that was.
    var isByCommand: Bool {
        switch self {
        case .released(.office), .secured(after: .office), .lockdown, .lockout, .tamperReset: true
        default: false
        }
    }
}
