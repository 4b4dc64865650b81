// SPDX-License-Identifier: Apache-2.0

/// A transaction with one contactless card in the reader's field, from the selection of its application to the
/// decision. It is a value: responses go in, steps come out. Time, random octets and keys are passed to its
/// initializer.
///
/// No input traps: what is malformed, out of order or late ends the transaction with a refusal.
public protocol CardTransaction: ProvingTransaction {
    /// The first step.
    mutating func start() -> CardStep

    /// Handles the response APDU (data ‖ SW1 ‖ SW2) to the last transmitted command.
    mutating func receive(_ response: Span<UInt8>) -> CardStep

    /// Handles the decision about the evidence of the last `decide` step. Nothing is stored for a refused card.
    mutating func conclude(_ decision: CardDecision) -> CardStep

    /// The refusal that is decided while the last command is transmitted. It holds whether or not the card responds:
    /// one that leaves is refused as well. nil before, and for kinds that end at once.
    var refusal: CardRefusal? { get }

    /// The octets that were read of the mailbox of a card that has opened the door; empty for none. They prove nothing.
    var mailbox: [UInt8] { get }

    /// Returns the last command for a card in the middle of the transaction, which ends without its response; nil if
    /// the card awaits none. `wipe` follows.
    mutating func interrupt() -> [UInt8]?

    /// True while the last command is transmitted: nothing but the end follows it.
    var isConcluding: Bool { get }
}

extension CardTransaction {
    /// nil: the transaction ends with the refusal.
    public var refusal: CardRefusal? { nil }

    /// Empty: the kind has no mailbox.
    public var mailbox: [UInt8] { [] }

    /// nil: the card is released.
    public mutating func interrupt() -> [UInt8]? { nil }

    /// False: the kind has no command after the decision.
    public var isConcluding: Bool { false }
}

/// The decision about a proven identity.
public enum CardDecision: Equatable, Sendable {
    /// The door was opened: its record is stored, and the lock has been moved.
    case opened
    /// Access was granted, and an access panel decides about the door: its state is unknown.
    case handedOn
    /// Access was refused.
    case refused
}
