// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A transaction with one client on a link of a radio, from the client's subscription to the decision. It is a value:
/// the client's messages go in, steps come out. Keys and random octets are passed to its initializer.
///
/// No input traps: what is malformed, out of order or too long ends the transaction with a refusal. The time limits of
/// a link are those of its transport, and a client that leaves ends the transaction by `wipe`.
public protocol LinkTransaction: ProvingTransaction {
    /// The first step, once the client has subscribed and is near.
    mutating func start() -> LinkStep

    /// Handles a message of the client, after the last `send` step.
    mutating func receive(_ message: Span<UInt8>) -> LinkStep

    /// Handles the decision about the evidence of the last `decide` step.
    mutating func conclude(_ decision: CardDecision) -> LinkStep

    /// Observes the time, before `start` and `receive`.
    mutating func observe(_ now: Instant)

    /// Observes the door, before each of the other calls; nil if a panel has the door.
    mutating func observe(isUnlocked: Bool?)

    /// The time at which `expire` is to be called; nil if the link's own limit holds alone.
    var deadline: Instant? { get }

    /// Handles the silence of the client until `deadline`.
    mutating func expire() -> LinkStep

    /// Removes and returns the changes of the store of Aliro so far, after `receive` and `conclude`. They may contain a
    /// secret; `wipe` erases those that were not taken.
    mutating func takeEffects() -> [AliroEffect]
}

extension LinkTransaction {
    /// Observes time and door.
    public mutating func observe(_ now: Instant, isUnlocked: Bool?) {
        observe(now)
        observe(isUnlocked: isUnlocked)
    }

    /// The kind needs no time.
    public mutating func observe(_ now: Instant) {}
    /// The kind does not report the door.
    public mutating func observe(isUnlocked: Bool?) {}
    /// The link's limit.
    public var deadline: Instant? { nil }
    /// Not called without a deadline.
    public mutating func expire() -> LinkStep { .end(.refused(.silent), last: []) }
    /// The kind has no store.
    public mutating func takeEffects() -> [AliroEffect] { [] }
}

/// The next action of a transaction on a link.
public enum LinkStep: Equatable, Sendable {
    /// Send the message, and pass the client's next one to `receive`.
    case send([UInt8])
    /// Pass the client's next message to `receive`.
    case wait
    /// Decide whether the proven identity may open, and pass the decision to `conclude`.
    case decide(CardEvidence)
    /// The transaction is over, once `last` has been sent; it is empty if the client gets no answer.
    case end(CardOutcome, last: [UInt8])
}
