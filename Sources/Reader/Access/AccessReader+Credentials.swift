import AccessProtocol
import Protobuf
import Timekeeping

/// From a credential to the door and back (access protocol, 6.2, 6.3 and 7.1).
extension AccessReader {
    /// Decides about a credential whose signature is good, moves the door, and answers. True if that waits for its
    /// record: nothing has been answered then.
    mutating func decides(
        _ credential: AuthorizedCredential, _ link: AccessLink, clock: CivilTime?, at moment: Moment
    ) -> Bool {
        let former = blacklist
        let decision = decision(credential, clock: localClock(clock, at: moment))
        link.credential = decision.credentialID?.text ?? ""
        if !decision.blacklistAdditions.isEmpty {
            keep(
                decision.blacklistAdditions, since: former,
                event(.blacklistChanged, link, decision.credentialID?.text ?? "", nil, info: 0, at: moment))
        }
        let request = doorRequest(for: decision)
        if let request {
            switch askedBefore(credential, decision, link, at: moment.instant) {
            case .answered: return false
            case .waits: return true
            case .no: break
            }
            // What the door would refuse is not put on record as granted.
            if door.verdict(on: request, at: moment.instant) == .done,
                holds(credential, decision, link, at: moment)
            {
                return true
            }
        }
        let done = act(on: decision, at: moment.instant)
        record(done, link, at: moment)
        if request != nil { settle(decision, done) }
        complete(credential, done, link)
        return false
    }

    /// Moves the door as decided, which has the last word about it.
    mutating func act(on decision: CredentialDecision, at now: Instant) -> CredentialDecision {
        var decision = decision
        if let request = doorRequest(for: decision) {
            decision.take(ask(request, at: now))
        } else {
            door.deny(at: now, into: &doorActions)
        }
        return decision
    }

    /// Puts the answer to a credential into the link's session.
    mutating func complete(_ credential: AuthorizedCredential, _ decision: CredentialDecision, _ link: AccessLink) {
        result.removeAll(keepingCapacity: true)
        if decision.status == .ok { appendResult(of: decision, for: credential) }
        let told = link.session.finish(decision.status, result: result.span, identity: identity)
        notices.append(.decided(link.id, decision, told))
        link.exchange = decision.isGranted ? .served : decision.status == .ok ? .denied : Exchange(decision.status)
    }

    private mutating func decision(_ credential: AuthorizedCredential, clock: LocalClock) -> CredentialDecision {
        let policy = configuration.credentials
        return switch credential {
        case .standardOffline(let files):
            policy.decide(files, clock: clock, door: door.state, blacklist: &blacklist)
        case .secureIdentifier(let files):
            policy.decide(files, clock: clock, blacklist: blacklist)
        }
    }

    /// Asks the door, and counts what it opens.
    mutating func ask(_ request: DoorRequest, at now: Instant) -> DoorVerdict {
        let verdict = door.request(request, at: now, into: &doorActions)
        if verdict == .done, request != .officeOff { openings &+= 1 }
        return verdict
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
        }
    }

    /// Whether a command's credential is on the blacklist. The published protocol does not ask it for commands; ours
    /// does, since a command token names no door and can only be called back so.
    func isBlacklisted(_ command: AuthorizedCommand, clock: CivilTime?) -> Bool {
        guard let credentialID = OSSCredentialID(command.credentialID) else { return false }
        return blacklist.contains(credentialID, at: clock)
    }

    /// Refuses a command, by its credential or the time that it brings.
    mutating func turnAway(
        _ command: AuthorizedCommand, _ status: StatusCode, _ link: AccessLink, at moment: Moment
    ) {
        result.removeAll(keepingCapacity: true)
        door.deny(at: moment.instant, into: &doorActions)
        record(command, status, link, at: moment, isDenied: true)
        complete(command, status, link)
    }
}
