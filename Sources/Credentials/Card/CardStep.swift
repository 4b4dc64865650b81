// SPDX-License-Identifier: Apache-2.0

/// The next action of a transaction with a contactless card.
public enum CardStep: Equatable, Sendable {
    /// Transmit the command APDU, and pass the response to `receive`.
    case transmit([UInt8])
    /// Decide whether the proven identity may open, and pass the decision to `conclude`.
    case decide(CardEvidence)
    /// The transaction is over. No further command is transmitted to the card until it has left the field.
    case end(CardOutcome)
}

/// The end of a transaction.
public enum CardOutcome: Equatable, Sendable {
    /// The card has received the decision, or needs none.
    case concluded
    /// The card has no such application: the next kind is tried.
    case absent
    /// The card has not proven an identity.
    case refused(CardRefusal)
}
