// SPDX-License-Identifier: Apache-2.0

extension AnnualRule {
    /// Parses a rule: `std offset[dst[offset],start[/time],end[/time]]`. Daylight saving time without dates is
    /// refused, since their default is undefined.
    init(_ text: String) throws(TimeZoneError) {
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
}

/// A reader of a rule's elements.
private struct RuleReader {
    let octets: [UInt8]
    private(set) var position = 0

    init(octets: [UInt8]) { self.octets = octets }

    var isAtEnd: Bool { position == octets.count }
    var peek: UInt8? { position < octets.count ? octets[position] : nil }

    private mutating func consume(_ octet: Unicode.Scalar) -> Bool {
        guard peek == UInt8(ascii: octet) else { return false }
        position += 1
        return true
    }

    /// Skips a name: at least three letters, or letters, digits and signs between `<` and `>`.
    mutating func name() throws(TimeZoneError) {
        let start = position
        let isQuoted = consume("<")
        let first = position
        while let octet = peek, isLetter(octet) || isQuoted && isDigitOrSign(octet) { position += 1 }
        guard position - first >= 3, !isQuoted || consume(">") else { throw .notARule(at: start) }
    }

    private func isLetter(_ octet: UInt8) -> Bool { (0x41...0x5A).contains(octet & 0xDF) }

    private func isDigitOrSign(_ octet: UInt8) -> Bool {
        (0x30...0x39).contains(octet) || octet == UInt8(ascii: "+") || octet == UInt8(ascii: "-")
    }

    /// Reads `[+|-]hh[:mm[:ss]]` in seconds.
    mutating func time(maximumHours: Int) throws(TimeZoneError) -> Int64 {
        let isNegative = consume("-")
        if !isNegative { _ = consume("+") }
        var seconds = Int64(try number(0...maximumHours)) * 3600
        if consume(":") {
            seconds += Int64(try number(0...59)) * 60
            if consume(":") { seconds += Int64(try number(0...59)) }
        }
        return isNegative ? -seconds : seconds
    }

    /// Reads `,day[/time]`; the default time is 02:00.
    mutating func change() throws(TimeZoneError) -> AnnualRule.Change {
        guard consume(",") else { throw .notARule(at: position) }
        let day: AnnualRule.Change.Day
        if consume("J") {
            day = .julian(try number(1...365))
        } else if consume("M") {
            let month = try number(1...12)
            guard consume(".") else { throw .notARule(at: position) }
            let week = try number(1...5)
            guard consume(".") else { throw .notARule(at: position) }
            day = .weekday(month: month, week: week, day: try number(0...6))
        } else {
            day = .zeroBased(try number(0...365))
        }
        return AnnualRule.Change(day: day, seconds: consume("/") ? try time(maximumHours: 167) : 7200)
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
