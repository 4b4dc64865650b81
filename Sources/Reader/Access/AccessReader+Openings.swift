// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Credentials
import Crypto
public import Timekeeping

/// The progress of a request when the call with its message returns.
enum Progress {
    /// The answer is in the link's session.
    case answered
    /// The answer follows later; the session is executing.
    case waits
}

/// The way of one opening: from the request to the record, to the door, and to the answers.
extension AccessReader {
    /// Answers a request like an equal one before it, or has it wait with that; nil if it is a new one. An answer is
    /// not repeated once the door refuses `request`: it may have begun a lockdown since.
    mutating func answerRepeated(
        _ wanted: Opening.Wanted, _ request: DoorRequest?, _ link: AccessLink, at now: Instant
    ) -> Progress? {
        guard let former = ledger.former(of: wanted.request, at: now) else { return nil }
        if case .answered = former, let request, verdict(on: request, at: now) != .done { return nil }
        report(.repeated(link.id, credential: wanted.credentialID))
        switch former {
        case .waits(let token):
            ledger.follow(token, Opening.Requester(link: link, wanted: wanted))
            return .waits
        case .answered(let answer):
            complete(wanted, answer, link)
            return .answered
        }
    }

    /// Records an event that no opening waits for.
    mutating func record(_ event: AuditEvent) { ledger.record(event, into: &effects) }

    /// The event that a command waits for; nil if it waits for none.
    func eventToAwait(_ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment) -> AuditEvent? {
        guard configuration.isAudited else { return nil }
        // An update without a record of its request would hide an attack.
        if command.asksForUpdater, updater == .ready {
            return event(.command, link, command.credentialID, command.name, info: 0, at: moment)
        }
        guard command.opensDoor, let request = request(of: command.name),
            verdict(on: request, at: moment.instant) == .done
        else { return nil }
        return event(grantKind, link, command.credentialID, command.name, info: grantInfo(of: command.name), at: moment)
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

    /// Decides an opening that waited for its record: with `ok` the door opens, with any other status it stays closed.
    /// The lock's effect comes first; call `answerOpenings` before any other input. The door also opens for a phone
    /// that has left meanwhile: the person stands at the door.
    public mutating func decide(_ token: OpeningToken, _ status: StatusCode, at moment: Moment) {
        guard let (opening, event) = ledger.endWait(token) else { return }
        ledger.decided.append((opening, decide(opening, event, status, at: moment)))
    }

    private mutating func decide(
        _ opening: Opening, _ event: AuditEvent, _ status: StatusCode, at moment: Moment
    ) -> Opening.Answer {
        if case .door(let request, let until) = opening.requester.wanted {
            return .door(decide(request, until: until, status, event, at: moment))
        }
        // The recorded outcome is carried out, or none: the panel may have come or gone meanwhile.
        let route = grantRoute
        defer { grantRoute = route }
        if event.kind == .handedOn && route != .panel || event.kind == .granted && route == .panel {
            grantRoute = .nowhere
        }
        // The door does not move after the end of the process has begun.
        let status = status == .ok && isShuttingDown ? .aborted : status
        if case .update = opening.token {
            // The reservation ends; `requestUpdate` makes its own.
            updater = .ready
        } else if status != .ok {
            door.deny(at: moment.instant, into: &effects)
        }
        switch opening.requester.wanted {
        case .command(let command): return .command(decide(command, status, event, opening.since, at: moment))
        case .credential(let credential, let decision):
            return .credential(decide(decision, credential, status, event, opening.since, at: moment))
        case .door: return .door(.notRecorded)
        }
    }

    /// Opens the door for an operator whose request is recorded, unless the door refuses.
    private mutating func decide(
        _ request: DoorRequest, until: Int64?, _ status: StatusCode, _ event: AuditEvent, at moment: Moment
    ) -> DoorRefusal? {
        guard status == .ok else { return status == .storageFull ? .logFull : .notRecorded }
        // The record may have taken long.
        if let until, moment.isOver(until) {
            withdraw(event, "expired", at: moment)
            return .expired
        }
        let verdict = door.request(request, at: moment.instant, into: &effects)
        if verdict != .done { withdraw(event, verdict.rawValue, at: moment) }
        return DoorRefusal(verdict)
    }

    /// Records that an operator's recorded opening was not carried out.
    private mutating func withdraw(_ event: AuditEvent, _ detail: String, at moment: Moment) {
        var withdrawn = event.changed(to: .withdrawn, info: 0)
        withdrawn.time = AuditTime(moment, zone: configuration.zone)
        withdrawn.setDetail(detail)
        record(withdrawn)
    }

    private mutating func decide(
        _ command: AuthorizedCommand, _ status: StatusCode, _ event: AuditEvent, _ since: Instant, at moment: Moment
    ) -> StatusCode {
        let refusal = status == .ok ? refusal(of: command, at: moment) : nil
        if refusal != nil { door.deny(at: moment.instant, into: &effects) }
        let done = refusal ?? (status == .ok ? execute(command, since: since, at: moment) : status)
        withdraw(event, done, wasRecorded: status == .ok || status == .aborted)
        return done
    }

    private mutating func decide(
        _ decision: CredentialDecision, _ credential: AuthorizedCredential, _ status: StatusCode, _ event: AuditEvent,
        _ since: Instant, at moment: Moment
    ) -> CredentialDecision {
        var done = decision
        let withdrawal = status == .ok ? withdrawal(of: decision, credential, at: moment) : nil
        if let withdrawal {
            (done.outcome, done.refusal, done.scheduleEnd) = (withdrawal.outcome, withdrawal.refusal, nil)
            door.deny(at: moment.instant, into: &effects)
        } else if status == .ok {
            done = act(on: decision, since: since, at: moment.instant)
        } else {
            done.outcome = .failed(status)
        }
        let reason: StatusCode = withdrawal.map { $0.status == .ok ? .validity : $0.status } ?? .unavailable
        withdraw(
            event, done.isGranted ? .ok : status == .ok ? reason : status,
            wasRecorded: status == .ok || status == .aborted)
        // The door waited for the record of the grant alone; this event is independent of the grant.
        if decision.blacklistIsFull { record(event.changed(to: .blacklistFull, info: 0)) }
        return done
    }

    /// Records the withdrawal of a recorded grant that was not carried out.
    private mutating func withdraw(_ event: AuditEvent, _ done: StatusCode, wasRecorded: Bool) {
        guard done != .ok, wasRecorded else { return }
        record(event.changed(to: .withdrawn, info: Int32(done.rawValue)))
    }

    /// Sends the answers to decided openings, and reports the events of the door.
    public mutating func answerOpenings<Port: ReaderPort & ~Copyable>(port: inout Port, at moment: Moment) {
        guard !ledger.decided.isEmpty else { return }
        while let (opening, answer) = ledger.nextAnswer(at: moment.instant) {
            answerFirst(opening.requester, answer, opening.token)
            for follower in opening.followers { _ = self.answer(follower, answer.repeated) }
        }
        sendAnswers(port: &port, at: moment.instant)
        door.flushEvents(at: moment, configuration, into: &effects, &ledger)
    }

    private mutating func answerFirst(_ requester: Opening.Requester, _ answer: Opening.Answer, _ token: OpeningToken) {
        if case (.operator(let ticket), .door(let request, _), .door(let refusal)) = (token, requester.wanted, answer) {
            return effects.append(.operated(ticket, request, refusal))
        }
        guard !self.answer(requester, answer), let link = requester.link?.id else { return }
        // The phone has left before it could be answered.
        switch (requester.wanted, answer) {
        case (.command(let command), .command(let status)):
            report(.executed(link, credential: command.credentialID, command: command.name.rawValue, status))
        case (_, .credential(let decision)): report(.decided(link, decision, decision.status))
        default: break
        }
    }

    /// Answers a phone; false if it has left.
    private mutating func answer(_ requester: Opening.Requester, _ answer: Opening.Answer) -> Bool {
        guard let link = requester.link, link.awaitsAnswer else { return false }
        complete(requester.wanted, answer, link)
        answered.append(link)
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
        // Unreachable, because equal requests are of one kind; the phone is answered all the same.
        case (.command(let command), _): complete(command, .unavailable, link)
        case (.credential(let credential, var decision), _):
            decision.outcome = .failed(.unavailable)
            complete(credential, decision, link)
        case (.door, _): break
        }
    }
}
