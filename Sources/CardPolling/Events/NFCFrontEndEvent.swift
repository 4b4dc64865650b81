// SPDX-License-Identifier: Apache-2.0

/// An event of a front end.
public enum NFCFrontEndEvent: Equatable, Sendable {
    /// The chip is open. Its name in libnfc.
    case opened(String)
    /// The chip is missing or faulty, and is retried with pauses. The reason in one line.
    case failed(String)
    /// A phone has activated the card. Events of an earlier phone no longer apply.
    case activated
    /// A command APDU from the phone, to be answered with this number.
    case command([UInt8], number: UInt64)
    /// The phone has deselected the card, or left the field.
    case released
    /// A card is in the field; its first order has this number.
    case card(FoundCard, number: UInt64)
    /// A response APDU of the card; the next order has this number.
    case response([UInt8], number: UInt64)
    /// The card was gone before its release.
    case cardLost(CardLoss)
    /// A card was not served.
    case cardRejected(FoundCard, CardRejection)
    /// The field is empty: the next card is served.
    case fieldEmpty
}
