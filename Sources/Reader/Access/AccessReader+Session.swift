import AccessProtocol
import Crypto
import Peripheral
import Timekeeping

/// From a frame to the door and back.
extension AccessReader {
    mutating func written<Port: PeripheralPort & ~Copyable>(
        _ id: LinkID, _ handle: AttributeHandle, _ frame: Span<UInt8>, port: inout Port,
        random: inout some RandomSource, at moment: Moment
    ) {
        guard let link = links.link(id), !link.life.isClosing, let service = table.service(rx: handle) else { return }
        // An answer goes to its end where it began.
        if !link.isAnswering { link.answerOn = service.tx }
        if link.life.isServed {
            receive(frame: frame, link, port: &port, random: &random, at: moment)
        } else if !link.held.append(frame) {
            links.refuse(link, .heldTooMuch, port: &port, at: moment.instant, into: &effects)
        }
    }

    mutating func receive<Port: PeripheralPort & ~Copyable>(
        frame: Span<UInt8>, _ link: AccessLink, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        guard link.life.isServed else { return }
        defer { links.leaveASlot(to: link, port: &port, at: moment.instant, into: &effects) }
        // One message at a time: what comes before the answer has left whole is dropped, as in the session itself.
        guard !link.isAnswering else {
            return tell(.messageRefused(link.id, .unavailable, told: false))
        }
        let clock = clock(at: moment)
        let latest = moment.latestSeconds == moment.epochSeconds ? clock : latestClock(at: moment)
        switch link.session.receive(frame, identity: identity, clock: clock, latest: latest, random: &random) {
        case .incomplete: return
        case .reply: link.exchange = .unfinished
        case .silent(let code): return tell(.messageRefused(link.id, code, told: false))
        case .refused(let refusal):
            tell(.messageRefused(link.id, refusal.status, told: true))
            link.exchange = .denied
            record(refusal, link, at: moment)
            // A credential was shown and is not good: the person at the door sees it. Other refusals are the app's.
            if refusal.attempt != nil { door.deny(at: moment.instant, into: &effects) }
        case .execute(let command) where policy.isUnknown: complete(command, .unavailable, link)
        case .decide where policy.isUnknown: link.session.finish(.unavailable, result: result.span, identity: identity)
        case .execute(let command):
            guard take(command, link, at: moment) == .answered else { return link.life.exchangeBegan() }
        case .decide(let credential):
            guard decide(credential, link, clock: clock, at: moment) == .answered else {
                return link.life.exchangeBegan()
            }
        }
        link.life.exchangeBegan()
        sendAnswer(link, port: &port, at: moment.instant)
    }

    /// Looks at a command with a good signature, carries it out, and answers it, unless that has to wait.
    private mutating func take(_ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment) -> Progress {
        link.credential = command.credentialID
        if isBlacklisted(command, clock: earliestClock(at: moment)) {
            tell(.blacklisted(link.id, credential: command.credentialID))
            return turnAway(command, .validity, link, at: moment)
        }
        if let refusal = refusal(of: command) { return turnAway(command, refusal, link, at: moment) }
        let wanted = Opening.Wanted.command(command)
        if let progress = answerRepeated(wanted, link, at: moment.instant) { return progress }
        if let event = eventToAwait(command, link, at: moment) {
            if command.asksForUpdater { updater = .busy }
            awaitRecord(of: event, wanted, link, at: moment.instant)
            return .waits
        }
        let done: StatusCode
        switch begin(command, link, at: moment) {
        case .waits: return .waits
        case .ended(let status): done = status
        case .none: done = execute(command, at: moment)
        }
        // A command to open that comes so far opened, or the door let nobody in: without a wait for a record it is no
        // grant, and no other event tells of it.
        record(command, done, link, at: moment, isDenied: command.opensDoor && done != .ok)
        openings.remember(wanted, .command(done), at: moment.instant)
        complete(command, done, link)
        return .answered
    }

    /// Sends what the session has to say, as far as the host has room; the rest goes when it is writable again.
    mutating func sendAnswer<Port: PeripheralPort & ~Copyable>(
        _ link: AccessLink, port: inout Port, at now: Instant
    ) {
        guard case .link(let id) = link.id else { return sendContactlessAnswer(link, at: now) }
        guard !link.life.isClosing, let characteristic = link.answerOn else { return }
        let limit = port.attMTU(id) - 3
        while !link.frame.isEmpty || link.session.nextFrame(limit: limit, into: &link.frame) {
            switch port.notify(id, characteristic, link.frame.span, at: now) {
            case .accepted: link.frame.removeAll(keepingCapacity: true)
            case .busy: return
            case .notSubscribed, .gone, .tooLong:
                // Nobody will read the rest either.
                while link.session.nextFrame(limit: limit, into: &link.frame) {}
                link.frame.removeAll(keepingCapacity: true)
                tell(.unanswerable(id))
            }
        }
        links.answerLeft(link, at: now)
    }
}
