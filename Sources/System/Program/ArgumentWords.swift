// SPDX-License-Identifier: Apache-2.0

/// The words of a command line, in order.
public struct ArgumentWords {
    private var rest: ArraySlice<String>

    /// The words of a program's arguments.
    public init(_ arguments: [String]) { rest = arguments[...] }

    /// Takes the next word; nil at the end.
    public mutating func next() -> String? { rest.popFirst() }

    /// Takes the value of an option.
    public mutating func value(of option: String) throws(ProgramFailure) -> String {
        guard let value = rest.popFirst() else { throw .usage("\(option) needs a value") }
        return value
    }

    /// Takes a number of 16 bits, decimal or with 0x.
    public mutating func number(of option: String) throws(ProgramFailure) -> UInt16 {
        let text = try value(of: option)
        let number = text.hasPrefix("0x") ? UInt16(text.dropFirst(2), radix: 16) : UInt16(text)
        guard let number else { throw .usage("\(option) takes 0 to 65535 or 0x0 to 0xFFFF, not \"\(text)\"") }
        return number
    }

    /// Takes one of these words.
    public mutating func word<Word: RawRepresentable & CaseIterable>(
        of option: String
    ) throws(ProgramFailure) -> Word where Word.RawValue == String {
        let text = try value(of: option)
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("unknown \(option) \"\(text)\"; the known are \(known)")
        }
        return word
    }
}
