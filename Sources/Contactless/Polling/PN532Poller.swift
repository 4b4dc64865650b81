// SPDX-License-Identifier: Apache-2.0

public import CardPolling
public import Timekeeping

/// The host of a PN532 that polls cards, without I/O: the firmware's poll loop, and the chip's line.
///
/// Octets of the chip, orders of the reader and the time go in; frames for the chip, questions to the reader and events
/// come out, one at a time.
public struct PN532Poller: Sendable {
    /// An output, in the order of occurrence.
    public enum Output: Equatable, Sendable {
        /// A command, and its frame for the chip's line.
        case command([UInt8], frame: [UInt8])
        /// A question, which the reader answers by `receive(order:)`.
        case question(PollQuestion)
        /// An event of the loop.
        case event(NFCFrontEndEvent)
        /// The chip is faulty, and the loop has ended. The reason in one line.
        case failed(String)
    }

    private let settings: PollSettings
    private var loop: PollLoop
    private var link = PN532Link()
    /// The present step of the loop; nil before the start, and after the end.
    private var step: PollStep?
    private var stepEnd = Instant.origin
    /// The chip's result of the present command.
    private var result: PN532Link.Result?
    private var order: CardOrder?
    private var outputs: [Output] = []

    /// A loop that is not started.
    public init(_ settings: PollSettings) {
        self.settings = settings
        loop = PollLoop(settings)
    }

    /// Starts with a chip that has power.
    public mutating func start(at now: Instant) {
        self = PN532Poller(settings)
        begin(loop.start(at: now - .origin), at: now)
    }

    /// Ends the loop: the chip has no power.
    public mutating func stop() { self = PN532Poller(settings) }

    /// The next time at which `next` has an output without an input; nil before the start, and after the end.
    public var nextDeadline: Instant? { step == nil ? nil : stepEnd }

    /// Handles octets of the chip.
    public mutating func receive(_ octets: Span<UInt8>) { result = link.receive(octets) ?? result }

    /// True while the loop waits for the reader's order, and no output is left.
    public var awaitsOrder: Bool {
        if case .ask? = step { order == nil && outputs.isEmpty } else { false }
    }

    /// Handles the reader's order. Without a question it has no effect.
    public mutating func receive(order: CardOrder) { if awaitsOrder { self.order = order } }

    /// The next output; nil until a further input, or `nextDeadline`.
    public mutating func next(at now: Instant) -> Output? {
        while outputs.isEmpty {
            guard let result = nextResult(at: now) else { return nil }
            let next = loop.next(result, at: now - .origin)
            outputs += loop.removeEvents().map { .event($0) }
            begin(next, at: now)
        }
        return outputs.removeFirst()
    }

    private mutating func nextResult(at now: Instant) -> PollResult? {
        let isOver = now >= stepEnd
        switch step {
        case .command:
            switch result.take() {
            case .response(let response): return .response(response)
            case .exchangeFailed: return .exchangeFailed
            case .unexpected: return .failed
            case nil: return isOver ? .noResponse : nil
            }
        case .pause, .listen: return isOver ? .elapsed : nil
        case .ask:
            if let order = order.take() { return .order(order) }
            return isOver ? .order(nil) : nil
        case .fail, nil: return nil
        }
    }

    private mutating func begin(_ next: PollStep, at now: Instant) {
        (step, result, order) = (next, nil, nil)
        switch next {
        case .command(let command, let milliseconds):
            stepEnd = now + .milliseconds(Int64(milliseconds))
            outputs.append(.command(command, frame: link.octets(of: command)))
        case .pause(let time), .listen(let time): stepEnd = now + time
        case .ask(let question, let time):
            stepEnd = now + time
            outputs.append(.question(question))
        case .fail(let why):
            step = nil
            outputs.append(.failed(why))
        }
    }
}
