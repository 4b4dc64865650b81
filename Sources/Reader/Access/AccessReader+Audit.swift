public import AccessProtocol
import Crypto
public import Peripheral
public import Timekeeping

/// Somebody who is to be let in as soon as that is recorded.
public struct OpenRequest: Hashable, Sendable {
    /// What to answer with.
    public var token: OpeningToken
    /// What is to be recorded.
    public var event: AuditEvent
}

/// Openings that wait for their records.
struct PendingOpenings {
    /// What was shown, and is good.
    enum Shown {
        case command(AuthorizedCommand)
        case credential(AuthorizedCredential, CredentialDecision)
    }

    struct Opening {
        var link: LinkID
        var shown: Shown
        var event: AuditEvent

        /// Whether it is no opening, but an update: that waits for its record as well.
        var asksForUpdater: Bool {
            guard case .command(let command) = shown else { return false }
            return command.asksForUpdater
        }
    }

    /// One that has been decided, and its phone is not told yet.
    struct Unanswered {
        var link: LinkID
        var shown: Shown
        var answer: RepeatedRequests.Answer
    }

    private var waiting: [OpeningToken: Opening] = [:]
    private var nextNumber: UInt64 = 1

    mutating func append(_ opening: Opening) -> OpeningToken {
        defer { nextNumber &+= 1 }
        let token: OpeningToken = opening.asksForUpdater ? .update(nextNumber) : .phone(nextNumber)
        waiting[token] = opening
        return token
    }

    mutating func take(_ token: OpeningToken) -> Opening? { waiting.removeValue(forKey: token) }
}

/// From what happens to what is recorded, and the door's wait for it.
extension AccessReader {
    /// Whether the command waits for its record. Its link's session stays as it is: the phone has no answer yet.
    mutating func holds(_ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment) -> Bool {
        guard configuration.isAudited else { return false }
        if claimsUpdater(command) {
            wait(
                .command(command), for: event(.command, link, command.credentialID, command.name, info: 0, at: moment),
                link)
            return true
        }
        guard command.opensDoor, let request = request(of: command.name),
            door.verdict(on: request, at: moment.instant) == .done
        else { return false }
        wait(
            .command(command),
            for: event(
                .granted, link, command.credentialID, command.name, info: grantInfo(of: command.name), at: moment),
            link)
        return true
    }

    /// Whether a credential that is granted waits for its record.
    mutating func holds(
        _ credential: AuthorizedCredential, _ decision: CredentialDecision, _ link: AccessLink, at moment: Moment
    ) -> Bool {
        guard configuration.isAudited else { return false }
        var first: AuditEvent?
        decision.forEachEvent { told in
            if first == nil { first = event(told, of: decision, link, at: moment) }
        }
        guard let event = first else { return false }
        wait(.credential(credential, decision), for: event, link)
        return true
    }

    /// Access info 2, 4 or 5 (access protocol, 8.1).
    private func grantInfo(of command: CommandName) -> Int32 {
        switch command {
        case .officeOn: EventAccessInfo.toggleUnlock.rawValue
        case .officeToggle: (door.isUnlocked ? EventAccessInfo.toggleLock : .toggleUnlock).rawValue
        default: .granted
        }
    }

    private mutating func wait(_ shown: PendingOpenings.Shown, for event: AuditEvent, _ link: AccessLink) {
        let token = pendingOpenings.append(.init(link: link.id, shown: shown, event: event))
        openRequests.append(OpenRequest(token: token, event: event))
    }

    /// Answers an open request: with `ok` the door opens, with any other status nobody is let in and the phone is
    /// told. A phone that has left meanwhile changes nothing: who it let in stands at the door.
    public mutating func decideOpening<Port: PeripheralPort & ~Copyable>(
        _ token: OpeningToken, _ status: StatusCode, port: inout Port, at moment: Moment
    ) {
        openDoor(token, status, at: moment)
        answerOpenings(port: &port, at: moment)
    }

    /// The half of `decideOpening` that somebody waits for at the door: what it asks of the lock is in `doorActions`.
    /// The other half, `answerOpenings`, is to follow before any other input.
    public mutating func openDoor(_ token: OpeningToken, _ status: StatusCode, at moment: Moment) {
        guard let opening = pendingOpenings.take(token) else { return }
        // The end of the process has begun meanwhile: the door does not move any more.
        let status = status == .ok && isShuttingDown ? .aborted : status
        if opening.asksForUpdater {
            releaseUpdater()
        } else if status != .ok {
            door.deny(at: moment.instant, into: &doorActions)
        }
        let answer: RepeatedRequests.Answer
        switch opening.shown {
        case .command(let command): answer = .command(decide(command, status, opening, at: moment))
        case .credential(_, let decision):
            answer = .credential(decide(decision, status, opening, at: moment))
        }
        unansweredOpenings.append(.init(link: opening.link, shown: opening.shown, answer: answer))
    }

    /// Tells the phones whose openings have been decided, and what happened at the door.
    public mutating func answerOpenings<Port: PeripheralPort & ~Copyable>(port: inout Port, at moment: Moment) {
        guard !unansweredOpenings.isEmpty else { return }
        for opening in unansweredOpenings {
            if let link = link(opening.link), link.session.isExecuting {
                opening.answer.complete(opening.shown, link, &self)
                sendAnswer(link, port: &port, at: moment.instant)
            } else {
                noteUnheard(opening)
            }
        }
        unansweredOpenings.removeAll(keepingCapacity: true)
        answerFollowers(port: &port, at: moment.instant)
        settleDoor(at: moment)
    }

    /// The phone has left before it could be answered.
    private mutating func noteUnheard(_ opening: PendingOpenings.Unanswered) {
        switch (opening.shown, opening.answer) {
        case (.command(let command), .command(let status)):
            notices.append(
                .executed(opening.link, credential: command.credentialID, command: command.name.rawValue, status))
        case (_, .credential(let decision)): notices.append(.decided(opening.link, decision, decision.status))
        default: break
        }
    }

    private mutating func decide(
        _ command: AuthorizedCommand, _ status: StatusCode, _ opening: PendingOpenings.Opening, at moment: Moment
    ) -> StatusCode {
        let done = status == .ok ? execute(command, at: moment) : status
        withdraw(opening, done, wasRecorded: status == .ok || status == .aborted)
        settle(command, done)
        return done
    }

    private mutating func decide(
        _ decision: CredentialDecision, _ status: StatusCode, _ opening: PendingOpenings.Opening, at moment: Moment
    ) -> CredentialDecision {
        var done = decision
        if status == .ok { done = act(on: decision, at: moment.instant) } else { done.outcome = .failed(status) }
        let refusal: StatusCode = done.isGranted ? .ok : status == .ok ? .unavailable : status
        withdraw(opening, refusal, wasRecorded: status == .ok || status == .aborted)
        // The door waited for the record of the grant alone, and this happened whatever came of the grant.
        if decision.blacklistIsFull { auditEvents.append(opening.event.changed(to: .blacklistFull, info: 0)) }
        settle(decision, done)
        return done
    }

    /// Recorded as granted, and not so.
    private mutating func withdraw(_ opening: PendingOpenings.Opening, _ done: StatusCode, wasRecorded: Bool) {
        guard done != .ok, wasRecorded else { return }
        auditEvents.append(opening.event.changed(to: .withdrawn, info: Int32(done.rawValue)))
    }

    /// Puts the answer to a command that was carried out, or not, into the link's session.
    mutating func complete(_ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink) {
        let status = link.session.finish(done, result: result.span, identity: identity)
        notices.append(.executed(link.id, credential: command.credentialID, command: command.name.rawValue, status))
        link.exchange = Exchange(status)
    }

    /// Records a command other than opening, with what became of it; `isDenied` for one whose credential is refused.
    mutating func record(
        _ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink, at moment: Moment, isDenied: Bool = false
    ) {
        guard configuration.isAudited else { return }
        auditEvents.append(
            event(
                isDenied ? .denied : .command, link, command.credentialID, command.name, info: Int32(done.rawValue),
                at: moment))
    }

    /// Records what was decided about a credential.
    mutating func record(_ decision: CredentialDecision, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited else { return }
        decision.forEachEvent { told in
            if let event = event(told, of: decision, link, at: moment) { auditEvents.append(event) }
        }
    }

    /// What a decision is recorded as; nil for what no decision names.
    private func event(
        _ told: CredentialEvent, of decision: CredentialDecision, _ link: AccessLink, at moment: Moment
    ) -> AuditEvent? {
        AuditKind(told.id).map {
            event($0, link, decision.credentialID?.text ?? "", nil, info: told.info, at: moment)
        }
    }

    /// Records an attempt that was refused. What did not get as far as naming a credential is none. Without a good
    /// signature nothing in it is proven, so the record names no credential, and a command only if there is such a one:
    /// else a stranger writes into the log what he likes.
    mutating func record(_ refusal: SessionRefusal, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited, let attempt = refusal.attempt else { return }
        let isProven = attempt.info != .signature
        let command = attempt.command.flatMap { isProven || CommandName.all.contains($0) ? $0 : nil }
        auditEvents.append(
            event(
                isProven ? .denied : .unproven, link, isProven ? attempt.credentialID : "", command,
                info: Int32(attempt.info.rawValue), at: moment))
    }

    func event(
        _ kind: AuditKind, _ link: AccessLink, _ credential: String, _ command: CommandName?, info: Int32,
        at moment: Moment
    ) -> AuditEvent {
        let time = AuditTime(moment, zone: configuration.zone)
        var event = AuditEvent(
            kind, at: time, info: info, channel: link.isContactless ? .nfc : .bluetooth, credential: credential,
            command: command?.rawValue ?? "")
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

extension AuditKind {
    /// The kind of a credential's event (access protocol, 7.1); nil for those that no decision names.
    fileprivate init?(_ event: EventId) {
        switch event {
        case .accessGranted: self = .granted
        case .accessDenied, .terminalOss: self = .denied
        case .blacklistedCredential: self = .credentialBlacklisted
        case .blacklistFull: self = .blacklistFull
        default: return nil
        }
    }
}
