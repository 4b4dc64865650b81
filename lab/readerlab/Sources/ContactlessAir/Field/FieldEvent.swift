// SPDX-License-Identifier: Apache-2.0

package import JSON
import Octets
import Timekeeping

/// An event in the field of a reader, for observation.
package enum FieldEvent: Equatable, Sendable {
    /// The field is open for a reader with this `nfc.connection`.
    case open(connection: String)
    /// A card's process has connected, or has left.
    case joined(String), gone(String)
    /// A card is in the field, or no longer.
    case near(String), away(String)
    /// The reader has activated a card, or released it.
    case activated(String), released(String)
    /// A command of the reader, and the card's response.
    case exchange(String, command: [UInt8], response: [UInt8], took: Duration)
    /// A command without a response in time.
    case silence(String, command: [UInt8])
    /// The reader transmits another polling frame than before.
    case pollingFrame([UInt8])
    /// The reader's driver broke a rule of the chip.
    case violation(String)

    /// The name in JSON.
    package var name: String {
        switch self {
        case .open: "field-open"
        case .joined: "card-connected"
        case .gone: "card-gone"
        case .near: "card-near"
        case .away: "card-away"
        case .activated: "card-activated"
        case .released: "card-released"
        case .exchange: "apdu"
        case .silence: "apdu-unanswered"
        case .pollingFrame: "polling-frame"
        case .violation: "field-violation"
        }
    }

    /// The event as a sentence.
    package var sentence: String {
        switch self {
        case .open(let connection): "open for nfc.connection \(connection)"
        case .joined(let card): "\(card) is connected"
        case .gone(let card): "\(card) has left"
        case .near(let card): "\(card) is near"
        case .away(let card): "\(card) is away"
        case .activated(let card): "\(card) is activated"
        case .released(let card): "\(card) is released"
        case .exchange(let card, let command, let response, let took):
            "\(card): \(Hexadecimal.text(command)) -> \(Hexadecimal.text(response)), \(took.wholeMilliseconds) ms"
        case .silence(let card, let command): "\(card): \(Hexadecimal.text(command)) -> no response"
        case .pollingFrame(let frame): "polls with the frame \(Hexadecimal.text(frame))"
        case .violation(let text): "broke a rule: \(text)"
        }
    }

    /// The further members in JSON.
    package var details: JSONObject {
        switch self {
        case .open(let connection): ["connection": connection]
        case .joined(let card), .gone(let card), .near(let card), .away(let card), .activated(let card),
            .released(let card):
            ["card": card]
        case .exchange(let card, let command, let response, let took):
            [
                "card": card, "command": Hexadecimal.text(command), "response": Hexadecimal.text(response),
                "took-ms": took.wholeMilliseconds,
            ]
        case .silence(let card, let command): ["card": card, "command": Hexadecimal.text(command)]
        case .pollingFrame(let frame): ["frame": Hexadecimal.text(frame)]
        case .violation(let text): ["text": text]
        }
    }
}
