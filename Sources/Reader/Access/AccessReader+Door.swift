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
        guard !untimedDoorEvents.isEmpty || door.hold != recordedHold else { return }
        let time = AuditTime(moment, zone: configuration.zone)
        for event in untimedDoorEvents {
            guard let kind = event.auditKind else { continue }
            auditEvents.append(AuditEvent(kind, at: time, channel: event.isByCommand ? .reader : .local))
        }
        untimedDoorEvents.removeAll(keepingCapacity: true)
        recordHold(at: time)
    }

    /// Office mode and office hours that give way to each other are one; what comes in front of them, as fire, is no end
    /// of theirs, and a pulse that outlasts them is none of them. The end of the process has a record of its own.
    private mutating func recordHold(at time: AuditTime) {
        let former = recordedHold
        guard configuration.isAudited, !isShuttingDown, door.hold != former else { return }
        recordedHold = door.hold
        switch (former, door.hold) {
        case (nil, let hold?):
            auditEvents.append(AuditEvent(.heldOpen, at: time, channel: hold == .office ? .reader : .local))
        case (let hold?, nil):
            auditEvents.append(AuditEvent(.heldOpenEnded, at: time, channel: hold == .office ? .reader : .local))
        default: break
        }
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
        case .lockdown, .lockout, .tamperReset: true
        default: false
        }
    }
}
