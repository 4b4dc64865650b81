public import AccessProtocol
import Crypto
public import Peripheral
public import Timekeeping

/// Somebody who is to be let in as soon as that is recorded.
public struct OpenRequest: Hashable, Sendable {
    /// What to answer with.
    public var id: UInt64
    /// What is to be recorded.
    public var event: AuditEvent
}

/// Openings that wait for their records.
struct PendingOpenings {
    struct Opening {
        var link: LinkID
        var command: AuthorizedCommand
        var event: AuditEvent
    }

    private var waiting: [UInt64: Opening] = [:]
    private var nextID: UInt64 = 1

    mutating func append(_ opening: Opening) -> UInt64 {
        defer { nextID &+= 1 }
        waiting[nextID] = opening
        return nextID
    }

    mutating func take(_ id: UInt64) -> Opening? { waiting.removeValue(forKey: id) }
}

/// From what happens to what is recorded, and the door's wait for it.
extension AccessReader {
    /// Whether the command waits for its record. Its link's session stays as it is: the phone has no answer yet.
    mutating func holds(_ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment) -> Bool {
        guard configuration.isAudited, command.name == .open else { return false }
        let event = event(.granted, link, command.credentialID, command.name, info: .granted, at: moment)
        let id = pendingOpenings.append(.init(link: link.id, command: command, event: event))
        openRequests.append(OpenRequest(id: id, event: event))
        return true
    }

    /// Answers an open request: with `ok` the door opens, with any other status nobody is let in and the phone is
    /// told. A phone that has left meanwhile changes nothing: who it let in stands at the door.
    public mutating func decideOpening<Port: PeripheralPort & ~Copyable>(
        _ id: UInt64, _ status: StatusCode, port: inout Port, at moment: Moment
    ) {
        guard let opening = pendingOpenings.take(id) else { return }
        let clock = moment.epochSeconds.map {
            CivilTime(epochSeconds: $0, utcOffsetMinutes: configuration.utcOffsetMinutes)
        }
        var done = status
        if status == .ok {
            // The end of the process has begun meanwhile: the door does not move any more.
            done = isShuttingDown ? .aborted : execute(opening.command, clock: clock, at: moment.instant)
            if done != .ok {
                // Recorded as granted, and not so.
                auditEvents.append(opening.event.changed(to: .withdrawn, info: Int32(done.rawValue)))
            }
        } else {
            door.deny(at: moment.instant, into: &doorActions)
        }
        guard let link = link(opening.link), link.session.isExecuting else {
            notices.append(
                .executed(
                    opening.link, credential: opening.command.credentialID, command: opening.command.name.rawValue,
                    done))
            return
        }
        complete(opening.command, done, link)
        sendAnswer(link, port: &port, at: moment.instant)
    }

    /// Puts the answer to a command that was carried out, or not, into the link's session.
    mutating func complete(_ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink) {
        let status = link.session.finish(done, result: result.span, identity: identity)
        notices.append(.executed(link.id, credential: command.credentialID, command: command.name.rawValue, status))
        link.completesExchange = true
        backOff.served(link.peer)
    }

    /// Records a command other than opening, with what became of it.
    mutating func record(_ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited else { return }
        auditEvents.append(
            event(.command, link, command.credentialID, command.name, info: Int32(done.rawValue), at: moment))
    }

    /// Records an attempt that was refused. What did not get as far as naming a credential is none.
    mutating func record(_ refusal: SessionRefusal, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited, let attempt = refusal.attempt else { return }
        auditEvents.append(
            event(
                .denied, link, attempt.credentialID, attempt.command, info: Int32(attempt.info.rawValue), at: moment))
    }

    private func event(
        _ kind: AuditKind, _ link: AccessLink, _ credential: String, _ command: CommandName, info: Int32,
        at moment: Moment
    ) -> AuditEvent {
        let time = AuditTime(moment, utcOffsetMinutes: configuration.utcOffsetMinutes)
        var event = AuditEvent(
            kind, at: time, info: info, channel: .bluetooth, credential: credential, command: command.rawValue)
        event.link = link.id.generation
        event.mode = link.mode
        event.dBm = link.median
        return event
    }
}

extension Int32 {
    /// Access info 2: granted, for the default time (access protocol, 8.1).
    fileprivate static var granted: Int32 { EventAccessInfo.grantedDefault.rawValue }
}
