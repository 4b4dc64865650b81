// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Timekeeping

/// From a credential to the door and back (access protocol, 6.2, 6.3 and 7.1).
extension AccessReader {
    /// Decides about a credential with a good signature, moves the door and answers, unless that waits for its record.
    mutating func decide(
        _ credential: AuthorizedCredential, _ link: AccessLink, clock: CivilTime?, at moment: Moment
    ) -> Progress {
        let former = policy.blacklist
        var blacklist = former
        let decision = decision(on: credential, clock: localClock(clock, at: moment), &blacklist, at: moment)
        if let card = decision.card, let refusal = decision.refusal {
            refuse(card, refusal, link, at: moment)
            return .answered
        }
        link.credential = decision.credentialID?.text ?? ""
        let additions = decision.blacklistAdditions
        if !additions.isEmpty {
            policy.blacklist = blacklist
            recordAdditions(decision, link, at: moment)
        }
        // After the records, because an opening may wait for one.
        defer { if !additions.isEmpty { keep(additions, since: former) } }
        let wanted = Opening.Wanted.credential(credential, decision)
        let request = request(for: decision)
        if let request {
            if let progress = answerRepeated(wanted, request, link, at: moment.instant) { return progress }
            // An opening that the door would refuse is not recorded as granted.
            if verdict(on: request, at: moment.instant) == .done,
                let event = eventToAwait(decision, link, at: moment)
            {
                ledger.request(Opening.Requester(link: link, wanted: wanted), event, at: moment.instant)
                return .waits
            }
        }
        let done = act(on: decision, at: moment.instant)
        record(done, link, at: moment)
        if request != nil { ledger.keep(.credential(done), to: wanted, at: moment.instant) }
        complete(credential, done, link)
        return .answered
    }

    /// Moves the door as decided, unless the door refuses. `since`: the time of a request that waited for its record.
    mutating func act(on decision: CredentialDecision, since: Instant? = nil, at now: Instant) -> CredentialDecision {
        var decision = decision
        if let request = request(for: decision) {
            decision.apply(carryOut(request, of: ShownCredential(decision), since: since, at: now))
        } else {
            door.deny(at: now, into: &effects)
        }
        return decision
    }

    /// Puts the answer to a credential into the link's session.
    mutating func complete(_ credential: AuthorizedCredential, _ decision: CredentialDecision, _ link: AccessLink) {
        if case .card = credential { return conclude(decision, link) }
        result.removeAll(keepingCapacity: true)
        if decision.status == .ok { appendResult(of: decision, for: credential) }
        let told = link.session.finish(decision.status, result: result.span, identity: identity)
        report(.decided(link.id, decision, told))
        link.exchange = Exchange(decision)
    }

    /// The decision about a proven credential by the lists, stores, settings and clock of this moment. It is made at
    /// the request, and again once its grant is recorded: each of them may have changed meanwhile.
    ///
    /// - Parameter blacklist: The list in force, to which a carried one is added.
    private func decision(
        on credential: AuthorizedCredential, clock: LocalClock, _ blacklist: inout Blacklist, at moment: Moment
    ) -> CredentialDecision {
        let rules = configuration.credentials
        var decision: CredentialDecision
        switch credential {
        case .standardOffline(let files):
            decision = rules.decide(files, clock: clock, door: door.state, blacklist: &blacklist)
        case .secureIdentifier(let files): decision = rules.decide(files, clock: clock, blacklist: blacklist)
        case .card(let evidence):
            if let refusal = refusal(of: evidence, at: moment) { return CredentialDecision(evidence, refusal) }
            decision = rules.decide(evidence, cards: cards ?? CardList(), clock: clock, blacklist: blacklist)
        }
        if policy.isUnknown { decision.outcome = .failed(.unavailable) }
        return decision
    }

    /// The decision that refuses a recorded grant now; nil if it may still open. A grant that would now open in another
    /// way is refused as well, because its record names the previous way.
    func withdrawal(
        of granted: CredentialDecision, _ credential: AuthorizedCredential, at moment: Moment
    ) -> CredentialDecision? {
        var blacklist = policy.blacklist
        var present = decision(on: credential, clock: localClock(clock(at: moment), at: moment), &blacklist, at: moment)
        switch (present.outcome, granted.outcome) {
        // The recorded direction.
        case (.granted(.toggle), .granted(.toggle)): return nil
        case (.granted, _) where present.outcome == granted.outcome: return nil
        case (.granted, _): present.outcome = .failed(.unavailable)
        case (.denied, _), (.failed, _): break
        }
        return present
    }

    private mutating func appendResult(of decision: CredentialDecision, for credential: AuthorizedCredential) {
        let access = decision.result(lock: door.isUnlocked ? .unlocked : .locked)
        switch credential {
        case .standardOffline(let files):
            let bearer = decision.isGranted ? CarriedEvents.Bearer.admitted : .refused(decision.credentialID)
            let events = CarriedEvents.choose(from: eventsToCarry, for: files, to: bearer)
            OssAccessEventsResult(accessResult: access, events: events).encodeDelimited(into: &result)
        case .secureIdentifier:
            access.encodeDelimited(into: &result)
        case .card: break
        }
    }

    /// Tests the blacklist for a command's credential. The published protocol does not for commands; this reader does,
    /// because a command token names no door and cannot be revoked otherwise.
    func isBlacklisted(_ command: AuthorizedCommand, at moment: Moment) -> Bool {
        guard let credentialID = OSSCredentialID(command.credentialID) else { return false }
        return policy.blacklist.contains(credentialID, at: earliestClock(at: moment))
    }

    /// Refuses a command because of its credential or its time.
    mutating func reject(
        _ command: AuthorizedCommand, _ status: StatusCode, _ link: AccessLink, at moment: Moment
    ) -> Progress {
        result.removeAll(keepingCapacity: true)
        door.deny(at: moment.instant, into: &effects)
        record(command, status, link, at: moment, isDenied: true)
        complete(command, status, link)
        return .answered
    }
}
