// SPDX-License-Identifier: Apache-2.0

/// The next action with the card in the field.
public enum CardOrder: Equatable, Sendable {
    /// Transmit the command APDU.
    case transmit([UInt8])
    /// Release the card: it has no credential of this reader. The next card in the field is tried.
    case tryNext
    /// Release the card, and wait until the field is empty: the transaction is over.
    case release
}

/// The reason why a card is gone before its release.
public enum CardLoss: String, CaseIterable, Equatable, Sendable {
    /// The card stopped answering, or left the field.
    case left = "card-left"
    /// The card did not complete its activation, or answered it with another structure.
    case activation = "activation-failed"
    /// The card prolonged its answer, usually by requests for more time (S(WTX), ISO/IEC 14443-4, 7.3).
    case answer = "answer-too-late"
    /// The transaction exceeded its time limit.
    case slow = "transaction-too-long"
    /// The reader gave no order in time.
    case noOrder = "no-order"
    /// The command exceeds one exchange with the chip.
    case command = "command-too-long"
    /// The chip failed.
    case chip = "chip-failed"
}

/// The reason why a card is not served.
public enum CardRejection: String, CaseIterable, Equatable, Sendable {
    /// The card takes no APDUs: it has an identifier only.
    case identifierOnly = "identifier-only"
    /// The field has more cards than are tried.
    case tooMany = "too-many-cards"
}
