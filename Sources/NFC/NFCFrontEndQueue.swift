// SPDX-License-Identifier: Apache-2.0

import CardPolling
import System

/// The exchange between the reactor's thread and the front end's thread: events in one direction, responses to phones
/// and orders for cards in the other.
final class NFCFrontEndQueue: @unchecked Sendable {
    private let mailbox: Mailbox
    private var events: [NFCFrontEndEvent] = []
    /// The response, if `isAnswered`. Copied in and out: its memory is never shared, so that the reader need not
    /// allocate for each response.
    private var response: [UInt8] = []
    private var isAnswered = false
    /// The order for a card that is answered; `response` is the APDU of `transmit`.
    private var order = Order.transmit
    private var counts = PollCounts()
    /// A polling frame for the next round; nil for the previous one.
    private var frame: [UInt8]?
    /// The number of the awaited command, 0 for none, and the time after which it is too old to be served.
    private var awaited: UInt64 = 0
    private var awaitedUntil = ContinuousClock.now
    private var number: UInt64 = 0
    private var ending = false
    private var hasEnded = false

    init() throws(NFCFrontEndError) {
        guard let mailbox = Mailbox() else { throw .noDescriptor }
        self.mailbox = mailbox
    }

    /// Readable while events are queued.
    var descriptor: Int32 { mailbox.descriptor }

    // MARK: The reactor's side

    /// Moves the queued events to the end of `taken`. Skips a command whose initiator has stopped waiting, as after the
    /// process was stopped.
    func takeEvents(into taken: inout [NFCFrontEndEvent]) {
        mailbox.hasWoken()
        let now = ContinuousClock.now
        mailbox.locked {
            for event in events {
                if let number = event.number, number != awaited || awaitedUntil <= now { continue }
                taken.append(event)
            }
            events.removeAll(keepingCapacity: true)
        }
    }

    /// Answers the command with this number; if it is no longer awaited, the response is discarded.
    func respond(_ octets: [UInt8], to number: UInt64) { answer(number, .transmit, octets) }

    /// Gives the order with this number; if it is no longer awaited, it is discarded.
    func give(_ order: CardOrder, to number: UInt64) {
        switch order {
        case .transmit(let apdu): answer(number, .transmit, apdu)
        case .tryNext: answer(number, .tryNext, [])
        case .release: answer(number, .release, [])
        }
    }

    private func answer(_ number: UInt64, _ order: Order, _ octets: [UInt8]) {
        mailbox.locked {
            guard awaited == number, !isAnswered else { return }
            response.removeAll(keepingCapacity: true)
            response.append(contentsOf: octets)
            (self.order, isAnswered) = (order, true)
            mailbox.signalChange()
        }
    }

    /// Changes the polling frame from the next round on.
    func setPollingFrame(_ octets: [UInt8]) { mailbox.locked { frame = octets } }

    /// Removes and returns the changed polling frame; nil if it has not changed.
    func takePollingFrame() -> [UInt8]? { mailbox.locked { frame.take() } }

    /// The counts of the poll role.
    var pollCounts: PollCounts { mailbox.locked { counts } }

    /// Requests the front end's thread to end.
    func end() {
        mailbox.locked {
            ending = true
            mailbox.signalChange()
        }
    }

    /// Waits for the end of the thread; false if it has not ended after `duration`.
    func waitForEnd(_ duration: Duration) -> Bool { mailbox.locked { mailbox.wait(duration) { hasEnded } } }

    // MARK: The front end's side

    /// True if the end was requested.
    var isEnding: Bool { mailbox.locked { ending } }

    /// Queues an event. A new phone or card removes queued events of earlier ones, and a new state of the chip removes
    /// an earlier one: a delayed reactor finds few events.
    func post(_ event: NFCFrontEndEvent) {
        mailbox.locked {
            switch event {
            case .opened, .failed: events.removeAll { $0.isState }
            case .activated, .card, .cardRejected: events.removeAll { !$0.isState }
            case .command, .released, .response, .cardLost, .fieldEmpty: break
            }
            events.append(event)
        }
        mailbox.wakeReactor()
    }

    /// Passes a command to the reactor, and waits for the response; nil after the time-out, or if the end was
    /// requested.
    func exchange(_ command: [UInt8], within duration: Duration) -> [UInt8]? {
        guard case .transmit(let response)? = ask(within: duration, { .command(command, number: $0) }) else {
            return nil
        }
        return response
    }

    /// Passes the card or its response to the reactor, and waits for the order; nil after the time-out, or if the end
    /// was requested.
    func order(for question: PollQuestion, within duration: Duration) -> CardOrder? {
        ask(within: duration) { number in
            switch question {
            case .card(let card): .card(card, number: number)
            case .response(let octets): .response(octets, number: number)
            }
        }
    }

    private func ask(within duration: Duration, _ event: (UInt64) -> NFCFrontEndEvent) -> CardOrder? {
        let mine = mailbox.locked {
            number &+= 1
            (awaited, isAnswered) = (number, false)
            awaitedUntil = .now + duration
            return number
        }
        post(event(mine))
        return mailbox.locked {
            _ = mailbox.wait(duration) { isAnswered || ending }
            awaited = 0
            guard isAnswered, !ending else { return nil }
            return switch order {
            case .transmit: .transmit(response.withUnsafeBufferPointer { Array($0) })
            case .tryNext: .tryNext
            case .release: .release
            }
        }
    }

    /// Publishes the counts of the poll role.
    func publish(_ counts: PollCounts) { mailbox.locked { self.counts = counts } }

    /// Waits for `duration`, or until the end is requested.
    func pause(_ duration: Duration) { mailbox.locked { _ = mailbox.wait(duration) { ending } } }

    /// Reports that the front end's thread has finished.
    func hasFinished() {
        mailbox.locked {
            hasEnded = true
            mailbox.signalChange()
        }
    }
}

/// `CardOrder` without its APDU, whose memory is not shared.
private enum Order { case transmit, tryNext, release }

extension NFCFrontEndEvent {
    /// True if the event concerns the chip, not a phone or card.
    fileprivate var isState: Bool {
        switch self {
        case .opened, .failed: true
        case .activated, .command, .released, .card, .response, .cardLost, .cardRejected, .fieldEmpty: false
        }
    }

    /// The number by which the event is answered; nil if it is not.
    fileprivate var number: UInt64? {
        switch self {
        case .command(_, let number), .card(_, let number), .response(_, let number): number
        case .opened, .failed, .activated, .released, .cardLost, .cardRejected, .fieldEmpty: nil
        }
    }
}
