// SPDX-License-Identifier: Apache-2.0

package import Console
package import Emulation
import JSON
package import Timekeeping

/// A typed command about cards: `near CARD [READER] [TIME | during N | after N]`, `away CARD`, `cards`.
package enum FieldOrder: Equatable, Sendable {
    case move(String, CardPlace)
    case list

    /// The commands, one line each.
    package static let helpLines = [
        "near CARD [READER] [TIME]: the card is in the reader's field, as near anna reader 3s",
        "near CARD [READER] during N, after N: it leaves in the N-th command, or after its response",
        "away CARD: the card is in no field",
        "cards: the cards, and where they are",
    ]

    /// Parses a line; nil for another command.
    package init?(_ words: [String]) throws(CommandFault) {
        switch words.first {
        case "cards" where words.count == 1: self = .list
        case "near" where words.count > 1, "away" where words.count > 1:
            self = .move(words[1], try CardPlace([words[0]] + words[2...]))
        case "near", "away": throw CommandFault("name the card, as near anna reader 3s, or away anna")
        default: return nil
        }
    }
}

extension FieldSession {
    /// Executes a typed command.
    package mutating func execute(_ order: FieldOrder, at now: Instant) throws(CommandFault) -> TypedAnswer {
        switch order {
        case .move(let name, let place): return TypedAnswer(lines: [try move(name, to: place, at: now)])
        case .list:
            advance(to: now)
            let lines = places.map { "\($0.card): \($0.reader.map { "near \($0)" } ?? "away")" }
            let members: JSONObject = [
                "cards": places.map { place in
                    var card: JSONObject = ["card": place.card]
                    if let reader = place.reader { card.add("reader", reader) }
                    return card
                }
            ]
            return TypedAnswer(lines: lines.isEmpty ? ["no cards"] : lines, members: members)
        }
    }
}
