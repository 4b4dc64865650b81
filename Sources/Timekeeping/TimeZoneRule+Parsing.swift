// SPDX-License-Identifier: Apache-2.0

/// The reason why a time zone rule is invalid.
public enum TimeZoneError: Error, Equatable, Sendable {
    /// The text is not a POSIX rule; the position is in octets from 0.
    case notARule(at: Int)
    /// The octets are not a compiled time zone file of version 2 or later (RFC 8536).
    case notATimeZoneFile
    /// The file has no rule for the present: its footer is empty.
    case noPresentRule
}

extension TimeZoneError: CustomStringConvertible {
    /// The fault in words.
    public var description: String {
        switch self {
        case .notARule(let position): "no POSIX rule, from octet \(position) on"
        case .notATimeZoneFile: "no compiled time zone file of version 2 or later"
        case .noPresentRule: "no rule for the present"
        }
    }
}

extension TimeZoneRule {
    /// The maximum length of a rule; the longest in use has about 40 octets.
    public static let maximumRuleCount = 128
    /// The maximum length of a file; the largest in use has about 4 kB in its slim form, 3 kB more in the fat one.
    public static let maximumFileCount = 65_536

    /// Parses a rule: `std offset[dst[offset],start[/time],end[/time]]`. Daylight saving time without dates is
    /// refused, since their default is undefined.
    public init(_ text: String) throws(TimeZoneError) {
        var reader = RuleReader(octets: Array(text.utf8))
        guard reader.octets.count <= TimeZoneRule.maximumRuleCount else {
            throw .notARule(at: TimeZoneRule.maximumRuleCount)
        }
        try reader.name()
        // West is positive in POSIX.
        let standard = -(try reader.time(maximumHours: 24))
        guard !reader.isAtEnd else {
            self.init(standardOffset: standard, daylightSaving: nil)
            return
        }
        try reader.name()
        let offset = reader.peek == UInt8(ascii: ",") ? standard + 3600 : -(try reader.time(maximumHours: 24))
        let start = try reader.change()
        let end = try reader.change()
        guard reader.isAtEnd else { throw .notARule(at: reader.position) }
        self.init(
            standardOffset: standard, daylightSaving: DaylightSaving(offset: offset, start: start, end: end))
    }

    /// Reads the current rule from a compiled time zone file, as in /usr/share/zoneinfo: its footer (RFC 8536, 3.3).
    public init(file octets: [UInt8]) throws(TimeZoneError) {
        guard octets.count <= TimeZoneRule.maximumFileCount,
            let second = TimeZoneRule.endOfBlock(octets, at: 0, timeSize: 4),
            let footer = TimeZoneRule.endOfBlock(octets, at: second, timeSize: 8)
        else { throw .notATimeZoneFile }
        guard footer < octets.count, octets[footer] == 0x0A, octets.last == 0x0A, footer < octets.count - 1 else {
            throw .notATimeZoneFile
        }
        let text = octets[(footer + 1)..<(octets.count - 1)]
        guard !text.isEmpty else { throw .noPresentRule }
        guard text.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .notATimeZoneFile }
        try self.init(String(decoding: text, as: UTF8.self))
    }

    /// The end of the data block whose header is at `start`; nil if there is no such block of version 2 or later (RFC
    /// 8536, 3.1 and 3.2).
    private static func endOfBlock(_ octets: [UInt8], at start: Int, timeSize: Int) -> Int? {
        guard octets.count - start >= 44, Array(octets[start..<start + 4]) == Array("TZif".utf8),
            octets[start + 4] >= UInt8(ascii: "2")
        else { return nil }
        func count(_ number: Int) -> Int {
            octets[(start + 20 + number * 4)..<(start + 24 + number * 4)].reduce(0) { $0 << 8 | Int($1) }
        }
        let (universal, standard, leaps, times, types, characters) =
            (count(0), count(1), count(2), count(3), count(4), count(5))
        // Each count has 32 bits, so that the sum cannot overflow.
        let size =
            times * (timeSize + 1) + types * 6 + characters + leaps * (timeSize + 4) + standard + universal
        let end = start + 44 + size
        return end <= octets.count ? end : nil
    }
}

/// A reader of a rule's elements.
private struct RuleReader {
    let octets: [UInt8]
    private(set) var position = 0

    init(octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { position == octets.count }
    var peek: UInt8? { position < octets.count ? octets[position] : nil }

    private mutating func take(_ octet: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: octet) else { return false }
        position += 1
        return true
    }

    /// Skips a name: at least three letters, or letters, digits and signs between `<` and `>`.
    mutating func name() throws(TimeZoneError) {
        let start = position
        let isQuoted = take("<")
        let first = position
        while let octet = peek, isLetter(octet) || isQuoted && isDigitOrSign(octet) { position += 1 }
        guard position - first >= 3, !isQuoted || take(">") else { throw .notARule(at: start) }
    }

    private func isLetter(_ octet: UInt8) -> Bool { (0x41...0x5A).contains(octet & 0xDF) }

    private func isDigitOrSign(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || octet == UInt8(ascii: "+") || octet == UInt8(ascii: "-")
    }

    /// Reads `[+|-]hh[:mm[:ss]]` in seconds.
    mutating func time(maximumHours: Int) throws(TimeZoneError) -> Int64 {
        let isNegative = take("-")
        if !isNegative { _ = take("+") }
        var seconds = Int64(try number(0...maximumHours)) * 3600
        if take(":") {
            seconds += Int64(try number(0...59)) * 60
            if take(":") { seconds += Int64(try number(0...59)) }
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads `,day[/time]`; the default time is 02:00.
    mutating func change() throws(TimeZoneError) -> TimeZoneRule.Change {
        guard take(",") else { throw .notARule(at: position) }
        let day: TimeZoneRule.Change.Day
        if take("J") {
            day = .julian(try number(1...365))
        } else if take("M") {
            let month = try number(1...12)
            guard take(".") else { throw .notARule(at: position) }
            let week = try number(1...5)
            guard take(".") else { throw .notARule(at: position) }
            day = .weekday(month: month, week: week, day: try number(0...6))
        } else {
            day = .zeroBased(try number(0...365))
        }
        return TimeZoneRule.Change(day: day, seconds: take("/") ? try time(maximumHours: 167) : 7200)
    }

    private mutating func number(_ range: ClosedRange<Int>) throws(TimeZoneError) -> Int {
        let start = position
        var value = 0
        while let octet = peek, (0x30...0x39).contains(octet), position - start < 3 {
            value = value * 10 + Int(octet - 0x30)
            position += 1
        }
        guard position > start, range.contains(value) else { throw .notARule(at: start) }
        return value
    }
}
