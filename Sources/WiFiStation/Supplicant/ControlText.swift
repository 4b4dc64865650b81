// SPDX-License-Identifier: Apache-2.0

/// Parsing of the supplicant's control interface text, octet by octet: its content may originate from the air, so it
/// is not assumed to be UTF-8, and nothing traps.
enum ControlText {
    /// The value in the first line that begins with `key` and `=`; nil if no line does.
    static func value(of key: StaticString, in octets: Span<UInt8>) -> Range<Int>? {
        var start = 0
        while start < octets.count {
            let line = start..<lineEnd(octets, from: start)
            if let value = remainder(of: line, after: key, in: octets), value.lowerBound < octets.count,
                octets[value.lowerBound] == UInt8(ascii: "="), !value.isEmpty
            {
                return value.lowerBound + 1..<value.upperBound
            }
            start = line.upperBound + 1
        }
        return nil
    }

    /// The end of the line that begins at `start`: its line feed, or the end of the text.
    static func lineEnd(_ octets: Span<UInt8>, from start: Int) -> Int {
        var end = start
        while end < octets.count, octets[end] != UInt8(ascii: "\n") { end += 1 }
        return end
    }

    /// The part of `range` after `prefix`; nil if it begins otherwise.
    static func remainder(of range: Range<Int>, after prefix: StaticString, in octets: Span<UInt8>)
        -> Range<Int>?
    {
        let count = prefix.utf8CodeUnitCount
        guard range.count >= count, range.upperBound <= octets.count else { return nil }
        for index in 0..<count where octets[range.lowerBound + index] != prefix.utf8Start[index] {
            return nil
        }
        return range.lowerBound + count..<range.upperBound
    }

    /// The first occurrence of `text` in `range`; nil if it does not occur.
    static func find(_ text: StaticString, in octets: Span<UInt8>, _ range: Range<Int>) -> Range<Int>? {
        let count = text.utf8CodeUnitCount
        var start = range.lowerBound
        while start + count <= range.upperBound {
            if remainder(of: start..<range.upperBound, after: text, in: octets) != nil {
                return start..<start + count
            }
            start += 1
        }
        return nil
    }

    /// The number after `key` and `=` in `range` (`id=1 reason=15`), where the key follows the start or a space.
    static func number(_ key: StaticString, in octets: Span<UInt8>, _ range: Range<Int>) -> Int? {
        var rest = range
        while let found = find(key, in: octets, rest) {
            let isWord =
                found.lowerBound == range.lowerBound || octets[found.lowerBound - 1] == UInt8(ascii: " ")
            if isWord, found.upperBound < range.upperBound, octets[found.upperBound] == UInt8(ascii: "=") {
                return number(octets, prefixOf: found.upperBound + 1..<range.upperBound)
            }
            rest = found.upperBound..<range.upperBound
        }
        return nil
    }

    /// Parses all of `range` as a decimal number with optional minus sign; nil if it is invalid, or has more than
    /// nine digits.
    static func number(_ octets: Span<UInt8>, _ range: Range<Int>) -> Int? {
        guard let (value, end) = leadingNumber(octets, range), end == range.upperBound else {
            return nil
        }
        return value
    }

    /// Parses the decimal number at the start of `range`, up to a space or the end.
    private static func number(_ octets: Span<UInt8>, prefixOf range: Range<Int>) -> Int? {
        guard let (value, end) = leadingNumber(octets, range),
            end == range.upperBound || octets[end] == UInt8(ascii: " ")
        else { return nil }
        return value
    }

    private static func leadingNumber(_ octets: Span<UInt8>, _ range: Range<Int>) -> (Int, end: Int)? {
        var position = range.lowerBound
        let isNegative = position < range.upperBound && octets[position] == UInt8(ascii: "-")
        if isNegative { position += 1 }
        let first = position
        var value = 0
        // Nine digits fit on every platform; no expected number has more.
        while position < range.upperBound, let digit = digit(octets[position], base: 10),
            position - first < 9
        {
            value = value * 10 + digit
            position += 1
        }
        guard position > first else { return nil }
        return (isNegative ? -value : value, position)
    }

    /// The value of a digit, in either case.
    static func digit(_ octet: UInt8, base: Int) -> Int? {
        let value: Int
        switch octet {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): value = Int(octet &- UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): value = Int(octet &- UInt8(ascii: "a")) + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): value = Int(octet &- UInt8(ascii: "A")) + 10
        default: return nil
        }
        return value < base ? value : nil
    }
}
