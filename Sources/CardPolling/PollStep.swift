// SPDX-License-Identifier: Apache-2.0

/// The next action of the front end's thread.
public enum PollStep: Equatable, Sendable {
    /// Send the command to the chip, and wait for its response.
    case command([UInt8], milliseconds: Int32)
    /// Wait.
    case pause(Duration)
    /// Post the event, and wait for the reader's order.
    case ask(PollQuestion, within: Duration)
    /// Play the card for a phone.
    case listen(Duration)
    /// Close the chip: it is faulty.
    case fail(String)
}

/// An event that the reader answers by an order.
public enum PollQuestion: Equatable, Sendable {
    /// A card that takes APDUs is in the field.
    case card(FoundCard)
    /// The response APDU of the card.
    case response([UInt8])
}

/// The result of a step.
public enum PollResult: Equatable, Sendable {
    /// The chip's response, without direction and code.
    case response([UInt8])
    /// The chip works, and reports a failure of the exchange with the card.
    case exchangeFailed
    /// The chip has not responded in time.
    case noResponse
    /// The chip's response is that of another command or damaged, or its line has failed.
    case failed
    /// The pause, or the time of listening, is over.
    case elapsed
    /// The order of the reader; nil if none came in time.
    case order(CardOrder?)
}
