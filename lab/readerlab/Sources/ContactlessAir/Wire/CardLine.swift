// SPDX-License-Identifier: Apache-2.0

package import Contactless
package import Emulation
import Octets

/// A line between a card's process and the field: words in ASCII, octets in hexadecimal.
///
/// The first line of a card is its introduction. A line of at most 2,048 octets holds every short APDU.
package enum CardLine: Equatable, Sendable {
    // From the card.

    /// `card NAME id=… [type=a|b] [sak=…] [ats=…]`
    case introduction(String, CardActivation)
    /// A command about its place: `near [READER] [TIME | during N | after N]`, `away`.
    case place(CardPlace)
    /// `response N HEX`
    case response(number: UInt64, [UInt8])

    // To the card.

    /// `ok`
    case accepted
    /// `error TEXT`
    case rejected(String)
    /// `activated READER`
    case activated(String)
    /// `command N HEX`
    case command(number: UInt64, [UInt8])
    /// `released`
    case released

    /// Parses a line of either side.
    package init(_ line: String) throws(CommandFault) {
        let words = line.split { " \t\r".contains($0) }.map(String.init)
        switch (words.first, words.count) {
        case ("card", 2...): self = try CardLine.introduction(words)
        case ("near", _), ("away", _): self = .place(try CardPlace(words[...]))
        case ("response", 3): self = .response(number: try CardLine.number(words[1]), try CardLine.octets(words[2]))
        case ("ok", 1): self = .accepted
        case ("error", _): self = .rejected(words.dropFirst().joined(separator: " "))
        case ("activated", 2): self = .activated(words[1])
        case ("command", 2): self = .command(number: try CardLine.number(words[1]), [])
        case ("command", 3): self = .command(number: try CardLine.number(words[1]), try CardLine.octets(words[2]))
        case ("released", 1): self = .released
        default: throw CommandFault("write card NAME id=HEX, near, away or response N HEX")
        }
    }

    /// The line, without its end.
    package var text: String {
        switch self {
        case .introduction(let name, let activation):
            "card \(name) id=\(Hexadecimal.text(activation.identifier)) type=\(activation.technology.rawValue)"
                + " sak=\(Hexadecimal.text([activation.sak]))"
                + (activation.answer.isEmpty ? "" : " ats=\(Hexadecimal.text(activation.answer))")
        case .place(let place): place.text
        case .response(let number, let octets): "response \(number) \(Hexadecimal.text(octets))"
        case .accepted: "ok"
        case .rejected(let text): "error \(text)"
        case .activated(let reader): "activated \(reader)"
        case .command(let number, let octets): "command \(number) \(Hexadecimal.text(octets))"
        case .released: "released"
        }
    }

    private static func introduction(_ words: [String]) throws(CommandFault) -> CardLine {
        let name = try FieldName.checked(words[1])
        var values: [String: String] = [:]
        for word in words.dropFirst(2) {
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            guard parts.count == 2, ["id", "type", "sak", "ats"].contains(parts[0]), values[parts[0]] == nil else {
                throw CommandFault("\(word.debugDescription): write id=HEX, type=a, sak=20 and ats=HEX, each once")
            }
            values[parts[0]] = parts[1]
        }
        guard let id = values["id"] else { throw CommandFault("the card has no identifier; write id=08010203") }
        guard let technology = CardActivation.Technology(rawValue: values["type"] ?? "a") else {
            throw CommandFault("type is a or b")
        }
        let sak = try values["sak"].map { text throws(CommandFault) in try octets(text) } ?? [CardActivation.takesAPDUs]
        guard sak.count == 1 else { throw CommandFault("sak has one octet") }
        let identifier = try octets(id)
        let answer = try values["ats"].map { text throws(CommandFault) in try octets(text) }
        do throws(ActivationFault) {
            return .introduction(
                name,
                try CardActivation(
                    technology, sak: sak[0], identifier: identifier, answer: answer ?? CardActivation.usualAnswer))
        } catch { throw CommandFault(error.description) }
    }

    private static func number(_ word: String) throws(CommandFault) -> UInt64 {
        guard let number = UInt64(word) else { throw CommandFault("\(word.debugDescription) is no number") }
        return number
    }

    private static func octets(_ word: String) throws(CommandFault) -> [UInt8] {
        guard let octets = Hexadecimal.octets(word) else {
            throw CommandFault("\(word.debugDescription) is not hexadecimal, two digits for each octet")
        }
        return octets
    }
}
