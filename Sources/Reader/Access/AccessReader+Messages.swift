// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Crypto
public import Timekeeping

/// The entrance and the exit of every transport: whole messages of phones in, answers out.
extension AccessReader {
    /// Handles one message of the phone on `link`: the status of its header, and its payload, whose length and checksum
    /// the transport has checked. `nextAnswer` returns the link once the answer is ready, now or later.
    mutating func receive(
        _ status: StatusCode, _ payload: Span<UInt8>, from link: AccessLink, random: inout some RandomSource,
        at moment: Moment
    ) {
        link.hasWaited = false
        if policy.isLoading, status == .ok, link.session.isAwaitingRequest { return link.hold(payload) }
        let clock = clock(at: moment)
        let latest = moment.latestSeconds == moment.epochSeconds ? clock : latestClock(at: moment)
        switch link.session.receive(
            status, payload, identity: identity, clock: clock, latest: latest, random: &random)
        {
        case .reply: link.exchange = .unfinished
        case .silent(let code): return report(.messageRefused(link.id, code, told: false))
        case .refused(let refusal):
            report(.messageRefused(link.id, refusal.status, told: true))
            link.exchange = .denied
            record(refusal, link, at: moment)
            // A shown credential is invalid: the person at the door sees it. Other refusals concern the app.
            if refusal.attempt != nil { door.deny(at: moment.instant, into: &effects) }
        case .execute(let command) where policy.isUnknown: complete(command, .unavailable, link)
        case .decide where policy.isUnknown: link.session.finish(.unavailable, result: result.span, identity: identity)
        case .execute(let command): link.hasWaited = execute(command, link, at: moment) == .waits
        case .decide(let credential): link.hasWaited = decide(credential, link, clock: clock, at: moment) == .waits
        }
        if !link.hasWaited { answered.append(link) }
    }

    /// Continues with the requests that have waited for the policy, once it is known, or known to be unknown.
    public mutating func resumeRequests<Port: ReaderPort & ~Copyable>(
        port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        guard !policy.isLoading else { return }
        for case let link? in links.links where !link.state.isClosing {
            guard let request = link.takeHeld() else { continue }
            receive(.ok, request.span, from: link, random: &random, at: moment)
            // Its link may have been about to make room.
            link.hasWaited = true
        }
        for case let link? in links.links where !link.state.isClosing && resumeIdentity(of: link, at: moment) {
            if link.proven == nil { answered.append(link) }
            link.hasWaited = true
        }
        resumeCard(random: &random, at: moment)
        resumePolledCard(random: &random, at: moment)
        sendAnswers(port: &port, at: moment.instant)
    }

    /// Refuses a message whose header announces more than the limit, without waiting for its octets: those would
    /// include the phone's next message.
    mutating func rejectTooLong(from link: AccessLink) {
        link.session.reject(.overflow)
        link.exchange = .denied
        report(.messageRefused(link.id, .overflow, told: true))
        answered.append(link)
    }

    /// Handles octets that are no message. The phone's next message must be a handshake.
    mutating func reject(_ status: StatusCode, from link: AccessLink) {
        link.session.reset()
        report(.messageRefused(link.id, status, told: false))
    }

    /// Removes and returns the first link of a transport with a new answer, for the transport to send; nil if no link
    /// has a new answer.
    mutating func nextAnswer(of channel: AuditChannel) -> AccessLink? {
        guard let index = answered.firstIndex(where: { $0.id.channel == channel }) else { return nil }
        return answered.remove(at: index)
    }

    /// Handles a command with a good signature: executes and answers it, unless that has to wait.
    private mutating func execute(_ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment) -> Progress {
        link.credential = command.credentialID
        if let refusal = refusal(of: command, at: moment) {
            if isBlacklisted(command, at: moment) { report(.blacklisted(link.id, credential: command.credentialID)) }
            return reject(command, refusal, link, at: moment)
        }
        let wanted = Opening.Wanted.command(command)
        let request = request(of: command.name)
        if let progress = answerRepeated(wanted, request, link, at: moment.instant) { return progress }
        if let event = eventToAwait(command, link, at: moment) {
            if command.asksForUpdater { updater = .busy }
            ledger.request(Opening.Requester(link: link, wanted: wanted), event, at: moment.instant)
            return .waits
        }
        let done: StatusCode
        switch begin(command, link, at: moment) {
        case .waits: return .waits
        case .ended(let status): done = status
        case .none: done = execute(command, at: moment)
        }
        // A command to open that reaches this point has opened, or the door refused it: without a wait for a record it
        // is no grant, and no other event records it.
        record(command, done, link, at: moment, isDenied: command.opensDoor && done != .ok)
        ledger.keep(.command(done), to: wanted, at: moment.instant)
        complete(command, done, link)
        return .answered
    }
}
