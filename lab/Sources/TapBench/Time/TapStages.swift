// SPDX-License-Identifier: Apache-2.0

/// The assumed times of cards and phones, in nanoseconds. No source has the times of a phone by command.
public struct TapAssumptions: Equatable, Sendable {
    /// The work of a card or phone for any command. The default is a third of what a Home Key transaction of 256 ms
    /// over a PN532, of three commands, leaves after 67 ms on line and air, with Aliro's octets; its program's own time
    /// is included.
    public var answer = 63_000_000
    /// The additional work for a signature or a key agreement; a guess, as much again.
    public var keyWork = 63_000_000
    /// The time from the start of one round of polling to the next; a card waits for half of it in the mean.
    public var round = 100_000_000

    /// The default times.
    public init() {}
}

/// The stages of a tap, from the moment the card is in the field to the order to the lock.
public struct TapStages: Equatable, Sendable {
    /// The maximum of a total, in milliseconds.
    public static let targets: [TapKind: Int] = [.aliroFast: 250, .aliroStandard: 500]
    /// The maximum of the reader's own part, in nanoseconds.
    public static let readerLimit = 10_000_000

    /// The transaction.
    public let trace: TapTrace
    /// The reader's times after it.
    public let door: TapDoor
    /// The times on air and line.
    public let clock: ContactlessClock
    /// The times of the card.
    public let assumptions: TapAssumptions

    /// The stages of these parts.
    public init(_ trace: TapTrace, _ door: TapDoor, _ clock: ContactlessClock, _ assumptions: TapAssumptions) {
        (self.trace, self.door, self.clock, self.assumptions) = (trace, door, clock, assumptions)
    }

    /// The same with another bit rate.
    public func at(_ rate: ContactlessClock.BitRate) -> TapStages {
        TapStages(trace, door, ContactlessClock(rate, lineRate: clock.lineRate), assumptions)
    }

    /// Until the card is activated: half a round in the mean, and the activation.
    public var field: Int { assumptions.round / 2 + clock.activation }

    /// The work of the card for an exchange.
    public func work(_ exchange: TapExchange) -> Int {
        assumptions.answer + (exchange.hasKeyWork ? assumptions.keyWork : 0)
    }

    /// The time of an exchange on air, without the card's work.
    public func air(_ exchange: TapExchange) -> Int {
        clock.exchange(command: exchange.command, response: exchange.response, work: work(exchange)) - work(exchange)
    }

    /// The time of an exchange on the line to the chip.
    public func line(_ exchange: TapExchange) -> Int {
        trace.kind == .token
            ? clock.targetLine(command: exchange.command, response: exchange.response)
            : clock.line(command: exchange.command, response: exchange.response)
    }

    /// The sum of a stage of all exchanges.
    public func sum(_ stage: (TapExchange) -> Int) -> Int { trace.exchanges.map(stage).reduce(0, +) }

    /// The reader's processor time: crypto and protocol, decision, edge. A token's last message has all of them.
    public var reader: Int { sum(\.reader) + (trace.kind == .token ? 0 : door.decision + door.edge) }

    /// All stages in sequence.
    public var total: Int { field + sum(work) + sum(air) + sum(line) + reader + door.record }

    /// False if a target or the limit of the reader's own part is exceeded.
    public var isWithinTargets: Bool {
        reader <= TapStages.readerLimit && total <= (TapStages.targets[trace.kind] ?? .max / 1_000_000) * 1_000_000
    }
}
