public import AccessProtocol
import Crypto
public import Peripheral
public import Timekeeping

/// How far a request has come when the call that brought it returns.
enum Progress {
    /// The answer is in the link's session.
    case answered
    /// The answer comes later; the link's session stays as it is.
    case waits
}

/// The way of one opening: from the request to the record, from that to the door, and to those who wait.
extension AccessReader {
    /// Answers a request as the equal one a moment before, or has it wait with that; nil if it is a new one.
    mutating func answerRepeated(
        _ wanted: Opening.Wanted, _ link: AccessLink, at now: Instant
    ) -> Progress? {
        guard let former = openings.former(of: wanted.request, at: now) else { return nil }
        tell(.repeated(link.id, credential: wanted.credentialID))
        switch former {
        case .waits(let token):
            openings.follow(token, Opening.Asker(link: link.id, wanted: wanted))
            return .waits
        case .answered(let answer):
            complete(wanted, answer, link)
            return .answered
        }
    }

    /// Has an opening wait for its record.
    mutating func awaitRecord(
        of event: AuditEvent, _ wanted: Opening.Wanted, _ link: AccessLink, at now: Instant
    ) {
        let token = openings.begin(Opening.Asker(link: link.id, wanted: wanted), event, at: now)
        effects.append(.open(token, event))
    }

    /// The event that a command waits for; nil if it waits for none.
    func eventToAwait(_ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment) -> AuditEvent? {
        guard configuration.isAudited else { return nil }
        // An update that nobody can be found to have asked for would be the best way to hide.
        if command.asksForUpdater, updater == .ready {
            return event(.command, link, command.credentialID, command.name, info: 0, at: moment)
        }
        guard command.opensDoor, let request = request(of: command.name),
            door.verdict(on: request, at: moment.instant) == .done
        else { return nil }
        return event(.granted, link, command.credentialID, command.name, info: grantInfo(of: command.name), at: moment)
    }

    /// Access info 2, 4 or 5 (access protocol, 8.1).
    private func grantInfo(of command: CommandName) -> Int32 {
        let info: EventAccessInfo =
            switch command {
            case .officeOn: .toggleUnlock
            case .officeToggle: door.isUnlocked ? .toggleLock : .toggleUnlock
            default: .grantedDefault
            }
        return info.rawValue
    }

    /// Decides an opening that waited for its record: with `ok` the door opens, with any other status nobody is let in.
    /// The lock's effect is the first; `answerOpenings` is to follow it before any other input. A phone that has left
    /// meanwhile changes nothing: who it let in stands at the door.
    public mutating func decide(_ token: OpeningToken, _ status: StatusCode, at moment: Moment) {
        guard let (asker, event, since) = openings.recording(token) else { return }
        if case .door(let request) = asker.wanted {
            return openings.decide(token, .door(decide(request, status, event, at: moment)))
        }
        // The end of the process has begun meanwhile: the door does not move any more.
        let status = status == .ok && isShuttingDown ? .aborted : status
        if case .update = token {
            // The claim ends, and what comes of it begins in `askUpdater`.
            updater = .ready
        } else if status != .ok {
            door.deny(at: moment.instant, into: &effects)
        }
        switch asker.wanted {
        case .command(let command): openings.decide(token, .command(decide(command, status, event, since, at: moment)))
        case .credential(_, let decision):
            openings.decide(token, .credential(decide(decision, status, event, since, at: moment)))
        case .door: break
        }
    }

    /// Opens the door for an operator, who is on record, and does not if the door has the last word.
    private mutating func decide(
        _ request: DoorRequest, _ status: StatusCode, _ event: AuditEvent, at moment: Moment
    ) -> OperatorAnswer {
        guard status == .ok else { return status == .storageFull ? .logFull : .notRecorded }
        let verdict = door.request(request, at: moment.instant, into: &effects)
        if verdict != .done {
            var withdrawn = event.changed(to: .withdrawn, info: 0)
            withdrawn.time = AuditTime(moment, zone: configuration.zone)
            withdrawn.tell(verdict.name)
            effects.append(.record(withdrawn))
        }
        return .door(verdict)
    }

    private mutating func decide(
        _ command: AuthorizedCommand, _ status: StatusCode, _ event: AuditEvent, _ since: Instant, at moment: Moment
    ) -> StatusCode {
        let done = status == .ok ? execute(command, since: since, at: moment) : status
        withdraw(event, done, wasRecorded: status == .ok || status == .aborted)
        return done
    }

    private mutating func decide(
        _ decision: CredentialDecision, _ status: StatusCode, _ event: AuditEvent, _ since: Instant, at moment: Moment
    ) -> CredentialDecision {
        var done = decision
        if status == .ok {
            done = act(on: decision, since: since, at: moment.instant)
        } else {
            done.outcome = .failed(status)
        }
        let refusal: StatusCode = done.isGranted ? .ok : status == .ok ? .unavailable : status
        withdraw(event, refusal, wasRecorded: status == .ok || status == .aborted)
        // The door waited for the record of the grant alone, and this happened whatever came of the grant.
        if decision.blacklistIsFull { effects.append(.record(event.changed(to: .blacklistFull, info: 0))) }
        return done
    }

    /// Recorded as granted, and not so.
    private mutating func withdraw(_ event: AuditEvent, _ done: StatusCode, wasRecorded: Bool) {
        guard done != .ok, wasRecorded else { return }
        effects.append(.record(event.changed(to: .withdrawn, info: Int32(done.rawValue))))
    }

    /// Tells those who wait for openings that are decided, and what happened at the door.
    public mutating func answerOpenings<Port: PeripheralPort & ~Copyable>(port: inout Port, at moment: Moment) {
        guard openings.haveDecided else { return }
        while let (opening, asker, answer) = openings.answerNext() {
            answerFirst(asker, answer, opening.token, port: &port, at: moment.instant)
            for follower in opening.followers {
                _ = self.answer(follower, answer.repeated, port: &port, at: moment.instant)
            }
        }
        door.settle(at: moment, configuration, into: &effects)
    }

    private mutating func answerFirst<Port: PeripheralPort & ~Copyable>(
        _ asker: Opening.Asker, _ answer: Opening.Answer, _ token: OpeningToken, port: inout Port, at now: Instant
    ) {
        switch (token, answer) {
        case (.operator(let ticket), .door(let answer)): return effects.append(.operated(ticket, answer))
        default: break
        }
        guard !self.answer(asker, answer, port: &port, at: now), let link = asker.link else { return }
        // The phone has left before it could be answered.
        switch (asker.wanted, answer) {
        case (.command(let command), .command(let status)):
            tell(.executed(link, credential: command.credentialID, command: command.name.rawValue, status))
        case (_, .credential(let decision)): tell(.decided(link, decision, decision.status))
        default: break
        }
    }

    /// Answers somebody, unless that phone has left; whether it was there.
    private mutating func answer<Port: PeripheralPort & ~Copyable>(
        _ asker: Opening.Asker, _ answer: Opening.Answer, port: inout Port, at now: Instant
    ) -> Bool {
        guard let id = asker.link, let link = link(id), link.session.isExecuting else { return false }
        complete(asker.wanted, answer, link)
        sendAnswer(link, port: &port, at: now)
        return true
    }

    /// Puts an answer into the link's session.
    private mutating func complete(_ wanted: Opening.Wanted, _ answer: Opening.Answer, _ link: AccessLink) {
        switch (wanted, answer) {
        case (.command(let command), .command(let status)):
            // The result of an update, or of an opening, is empty.
            result.removeAll(keepingCapacity: true)
            complete(command, status, link)
        case (.credential(let credential, _), .credential(let decision)): complete(credential, decision, link)
        // A request names its kind, so that these do not occur; a phone is to be answered all the same.
        case (.command(let command), _): complete(command, .unavailable, link)
        case (.credential(let credential, var decision), _):
            decision.outcome = .failed(.unavailable)
            complete(credential, decision, link)
        case (.door, _): break
        }
    }
}
