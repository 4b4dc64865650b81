// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping

extension PhoneVisit {
    /// Handles the events of the central, then moves the conversation on.
    mutating func settle(at now: Instant) {
        var events: [CentralEvent] = []
        while let event = central.popEvent() { events.append(event) }
        // A controller that fails ends link and attempt first, which would be reported instead.
        for case .failed(let fault) in events { return give(up: .controller(fault), at: now) }
        for event in events { receive(event, at: now) }
        converse(at: now)
    }

    private mutating func receive(_ event: CentralEvent, at now: Instant) {
        switch (event, state) {
        case (.ready, .off): begin(at: now)
        case (.scanRefused(let status), .looking): give(up: .scanRefused(status), at: now)
        case (.report(let report), .looking(var search)):
            let sighting = ReaderSighting(report)
            search.consider(
                sighting, isWanted: plan.credential(for: sighting) != nil, comparison: comparison, at: now)
            lookOn(search, at: now)
        case (.connected(let id, let peer, let interval), .connecting):
            guard let choice else { return }
            let conversation = Conversation(
                link: id, service: choice.reader.mode?.service ?? ReaderMode.access.service,
                maximumMTU: plan.maximumMTU, at: now)
            link = VisitLink(conversation: conversation, since: now)
            state = .linked
            deadline = now + plan.timeout
            step(.connected(peer, interval: interval), at: now)
        case (.connected(let id, _, _), _): central.disconnect(id, at: now)
        case (.connectionFailed(_, let status), .connecting): lookAgain(after: status, at: now)
        case (.connectionFailed, .ending(let failure, _)) where link == nil: finish(failure, at: now)
        case (.disconnected(_, let reason), .linked): disconnected(reason, at: now)
        case (.disconnected, .ending(let failure, _)): finish(failure, at: now)
        case (.attribute(_, let pdu), .linked): link?.conversation.client.receive(pdu.span, at: now)
        default: break
        }
    }

    /// Signals need not be compared for a single address.
    private var comparison: Duration {
        if case .address = plan.reader { return .zero }
        return plan.comparison
    }

    /// Begins a visit.
    mutating func begin(at now: Instant) {
        number += 1
        task = plan.task
        (began, mark, lastStatus) = (now, now, nil)
        deadline = now + plan.timeout
        report(.began(number: number))
        look(at: now)
    }

    private mutating func look(at now: Instant) {
        choice = nil
        state = .looking(ReaderSearch())
        if (try? central.startScanning(at: now)) == nil { give(up: .scanRefused(.commandDisallowed), at: now) }
    }

    /// Decides for a reader when signals have been compared, or gives up when the time is over.
    mutating func lookOn(_ search: ReaderSearch, at now: Instant) {
        var search = search
        if let decision = search.decision, now >= decision {
            if let best = search.best(plan) { return connect(to: best, firstHeard: search.firstHeard ?? now, at: now) }
            // The reader that was heard is not connectable any longer.
            search.forgetDecision()
        }
        state = .looking(search)
        if let deadline, now >= deadline {
            let cause = lastStatus.map(VisitFailure.Cause.notConnected) ?? .notFound(search.seen)
            end(failure(cause), at: now)
        }
    }

    private mutating func connect(
        to best: (reader: ReaderSighting, credential: PhoneCredential), firstHeard: Instant, at now: Instant
    ) {
        central.stopScanning(at: now)
        // An attempt that is still being cancelled: its end is awaited with the next packet.
        guard (try? central.connect(to: best.reader.address, plan.connection, at: now)) != nil else {
            return look(at: now)
        }
        choice = best
        state = .connecting
        if lastStatus == nil { step(.found(best.reader), at: firstHeard) }
        mark = now
    }

    /// An attempt that the reader did not notice: it may have had no slot, or have answered another phone.
    private mutating func lookAgain(after status: HCIStatus, at now: Instant) {
        lastStatus = status
        look(at: now)
    }

    private mutating func disconnected(_ reason: HCIStatus, at now: Instant) {
        if reason == .connectionFailedToBeEstablished, link?.stage == .discovering {
            link = nil
            return lookAgain(after: reason, at: now)
        }
        finish(failure(.ended(reason), at: now), at: now)
    }

    /// Ends the visit, and all that were to follow.
    private mutating func give(up cause: VisitFailure.Cause, at now: Instant) {
        if case .over = state { return }
        let failure = failure(cause, at: now)
        isInterrupted = true
        finish(failure, at: now)
    }

    /// Ends the visit: nil if the task is done. The link is disconnected first.
    mutating func end(_ failure: VisitFailure?, at now: Instant) {
        switch state {
        case .linked:
            if let link { central.disconnect(link.conversation.link, at: now) }
            state = .ending(failure, until: now + PhoneVisit.disconnectionTimeout)
        case .connecting:
            central.cancelConnecting(at: now)
            state = .ending(failure, until: now + PhoneVisit.disconnectionTimeout)
        case .off, .looking, .resting: finish(failure, at: now)
        case .ending, .over: break
        }
    }

    /// The visit is over, and the link down.
    mutating func finish(_ failure: VisitFailure?, at now: Instant) {
        central.stopScanning(at: now)
        link = nil
        deadline = nil
        report(.ended(failure, sinceStart: now - began))
        if isInterrupted || number >= plan.visits {
            state = .over
            report(.finished)
        } else {
            state = .resting(until: now + (failure == nil ? plan.pauses.success : plan.pauses.failure))
        }
    }
}
