// SPDX-License-Identifier: Apache-2.0

package import Emulation
import Timekeeping

/// The place of a card: in the field of a reader, or away.
package enum CardPlace: Equatable, Sendable {
    /// The end of a card's stay in a field.
    package enum Stay: Equatable, Sendable {
        /// Until a further command.
        case lasting
        /// For this time.
        case limited(Duration)
        /// Until this command of the reader since the card came, which it no longer answers.
        case during(command: Int)
        /// Until it has answered this command.
        case after(command: Int)
    }

    /// In the field of this reader, or of the only one.
    case near(reader: String?, Stay)
    /// In no field.
    case away

    /// The longest time in seconds, and the largest number of a command.
    private static let limits = (seconds: 86_400.0, command: 1000)
    private static let usage = "write near [READER] [TIME | during N | after N], as near reader 3s, or away"

    /// Parses `near …` or `away`.
    package init(_ words: ArraySlice<String>) throws(CommandFault) {
        let fault = CommandFault(CardPlace.usage)
        var rest = words.dropFirst()
        guard words.first == "near" else {
            guard words.first == "away", rest.isEmpty else { throw fault }
            self = .away
            return
        }
        var reader: String?
        if let word = rest.first, word != "during", word != "after", CardPlace.time(word) == nil {
            reader = try FieldName.checked(word)
            rest = rest.dropFirst()
        }
        switch (rest.first, rest.count) {
        case (nil, _): self = .near(reader: reader, .lasting)
        case (let word?, 1):
            guard let time = CardPlace.time(word) else { throw fault }
            self = .near(reader: reader, .limited(time))
        case (let word?, 2):
            guard let last = rest.last, let command = Int(last), 1...CardPlace.limits.command ~= command else {
                throw fault
            }
            guard word == "during" || word == "after" else { throw fault }
            self = .near(reader: reader, word == "during" ? .during(command: command) : .after(command: command))
        default: throw fault
        }
    }

    /// The command.
    package var text: String {
        guard case .near(let reader, let stay) = self else { return "away" }
        let place = "near" + (reader.map { " \($0)" } ?? "")
        return switch stay {
        case .lasting: place
        case .limited(let time): "\(place) \(time.wholeMilliseconds)ms"
        case .during(let command): "\(place) during \(command)"
        case .after(let command): "\(place) after \(command)"
        }
    }

    /// A time such as `3s`, `0.5s` or `500ms`; nil for another word.
    private static func time(_ word: String) -> Duration? {
        let isMilliseconds = word.hasSuffix("ms")
        let digits = word.dropLast(isMilliseconds ? 2 : 1)
        guard word.hasSuffix("s"), digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2E }),
            let count = Double(digits)
        else { return nil }
        let seconds = isMilliseconds ? count / 1000 : count
        guard seconds > 0, seconds <= limits.seconds else { return nil }
        return .nanoseconds(Int64((seconds * 1_000_000_000).rounded()))
    }
}

/// The names of readers and cards.
package enum FieldName {
    /// The maximum length in octets.
    package static let limit = 32

    /// The name, if it has letters, digits, `-`, `.` and `_` only.
    package static func checked(_ name: String) throws(CommandFault) -> String {
        let isPlain = name.utf8.allSatisfy { octet in
            switch octet {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
            default: false
            }
        }
        guard isPlain, 1...limit ~= name.utf8.count else {
            throw CommandFault(
                "\(name.debugDescription) is no name; write 1 to \(limit) letters, digits, - . or _")
        }
        return name
    }
}
