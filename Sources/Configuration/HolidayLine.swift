// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A holiday as written in a configuration: `Good Friday: easter-2`, or without a name `12-25`.
///
/// A day is `12-25`, `2026-12-24`, `easter`, `easter+1`, `orthodox-easter-2`, `4th thu 11`, `last mon 05`,
/// `wed before 11-23` or `sat after 06-19`. A range is two days, `12-24..01-01`. `from 2027` and `until 2030` name the
/// first and the last year, included.
public struct HolidayLine: Equatable, Sendable {
    /// The name and the days.
    public let holiday: Holiday
    /// The line as written.
    public let text: String

    /// The problem of an invalid line, which follows its text.
    static let problem =
        "is not a holiday: needs a day or two joined by \"..\", as \"12-25\", \"2026-12-24\", \"easter-2\" "
        + "(-80 to +250), \"orthodox-easter\", \"4th thu 11\", \"last mon 05\", \"wed before 11-23\" or "
        + "\"12-24..01-01\", a name with a colon before and \"from 2027\" or \"until 2030\" after it if wanted"

    /// The maximum length of a name in octets.
    static let nameLimit = 64

    /// Parses the line; nil if it is invalid.
    public init?(_ text: String) {
        let halves = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let name = halves.count == 2 ? HolidayLine.trimmed(halves[0]) : ""
        var words = (halves.last ?? "").split(separator: " ", omittingEmptySubsequences: true)
        guard halves.count == 1 || 1...HolidayLine.nameLimit ~= name.utf8.count,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            let years = HolidayLine.years(&words)
        else { return nil }
        guard let days = HolidayLine.ends(of: words), let rule = HolidayLine.rule(days, years: years) else {
            return nil
        }
        self.text = text
        holiday = Holiday(name.isEmpty ? words.joined(separator: " ") : name, rule)
    }

    private static func trimmed(_ text: Substring) -> String {
        text.split(separator: " ", omittingEmptySubsequences: true).joined(separator: " ")
    }

    /// Parses and removes `from YEAR` and `until YEAR` at the end; nil for invalid years.
    private static func years(_ words: inout [Substring]) -> (first: Int?, last: Int?)? {
        var years: (first: Int?, last: Int?) = (nil, nil)
        while words.count > 2, ["from", "until"].contains(words[words.count - 2]) {
            guard let year = year(words[words.count - 1]) else { return nil }
            if words[words.count - 2] == "until" {
                guard years == (nil, nil) else { return nil }
                years.last = year
            } else {
                guard years.first == nil else { return nil }
                years.first = year
            }
            words.removeLast(2)
        }
        return years
    }

    private static func year(_ text: Substring) -> Int? {
        guard text.utf8.count == 4, let year = GroupLine.number(text), HolidayRule.allYears.contains(year) else {
            return nil
        }
        return year
    }

    /// Splits a range into the words of its two days.
    private static func ends(of words: [Substring]) -> [[Substring]]? {
        guard let middle = words.firstIndex(where: { $0.contains("..") }) else { return [words] }
        let word = words[middle]
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].isEmpty else { return nil }
        let first = words[..<middle] + (parts[0].isEmpty ? [] : [parts[0]])
        let last = (parts[2].isEmpty ? [] : [parts[2]]) + words[(middle + 1)...]
        return [Array(first), Array(last)]
    }

    private static func rule(
        _ days: [[Substring]], years: (first: Int?, last: Int?)
    ) -> HolidayRule? {
        let ends = days.compactMap { day($0) }
        guard let first = ends.first, ends.count == days.count else { return nil }
        let last = ends.count == 2 ? ends[1] : nil
        if first.year != nil || last?.year != nil {
            guard years == (nil, nil), let year = first.year else { return nil }
            guard let rule = HolidayRule(first.day, through: last?.day, years: year...year) else { return nil }
            guard let last else { return rule.first.isDate(in: year) ? rule : nil }
            let end = HolidayLine.year(of: last.day, after: first.day, in: year)
            return end != nil && last.year == end ? rule : nil
        }
        let from = years.first ?? HolidayRule.allYears.lowerBound
        let until = years.last ?? HolidayRule.allYears.upperBound
        return from <= until ? HolidayRule(first.day, through: last?.day, years: from...until) : nil
    }

    /// The year in which a range of dates ends that begins in `year`.
    private static func year(of last: HolidayRule.Day, after first: HolidayRule.Day, in year: Int) -> Int? {
        guard case .date(let month, let day) = last, case .date(let firstMonth, let firstDay) = first else {
            return nil
        }
        return (month, day) < (firstMonth, firstDay) ? year + 1 : year
    }

    /// Parses the words of a day, and its year for a dated one.
    private static func day(_ words: [Substring]) -> (day: HolidayRule.Day, year: Int?)? {
        switch words.count {
        case 1: return easter(words[0]).map { ($0, nil) } ?? date(words[0])
        case 3:
            if words[1] == "before" || words[1] == "after" {
                guard let weekday = weekday(words[0]), let date = date(words[2]), date.year == nil,
                    case .date(let month, let day) = date.day
                else { return nil }
                return (.near(weekday: weekday, isBefore: words[1] == "before", month: month, day: day), nil)
            }
            guard let week = weeks.firstIndex(of: String(words[0])), let weekday = weekday(words[1]),
                words[2].utf8.count == 2, let month = GroupLine.number(words[2])
            else { return nil }
            return (.weekday(weekday, week: week + 1, month: month), nil)
        default: return nil
        }
    }

    private static let weeks = ["1st", "2nd", "3rd", "4th", "last"]

    private static func weekday(_ word: Substring) -> Int? { GroupLine.weekdays.firstIndex(of: String(word)) }

    private static func easter(_ word: Substring) -> HolidayRule.Day? {
        let isOrthodox = word.hasPrefix("orthodox-easter")
        guard isOrthodox || word.hasPrefix("easter") else { return nil }
        let rest = word.dropFirst(isOrthodox ? "orthodox-easter".count : "easter".count)
        if rest.isEmpty { return .easter(offset: 0, isOrthodox: isOrthodox) }
        guard rest.first == "+" || rest.first == "-", rest.utf8.count <= 4,
            let offset = GroupLine.number(rest.dropFirst())
        else { return nil }
        return .easter(offset: rest.first == "-" ? -offset : offset, isOrthodox: isOrthodox)
    }

    private static func date(_ word: Substring) -> (day: HolidayRule.Day, year: Int?)? {
        let parts = word.split(separator: "-", omittingEmptySubsequences: false)
        let lengths = parts.map(\.utf8.count)
        guard lengths == [2, 2] || lengths == [4, 2, 2], let day = GroupLine.number(parts[parts.count - 1]),
            let month = GroupLine.number(parts[parts.count - 2])
        else { return nil }
        guard parts.count == 3 else { return (.date(month: month, day: day), nil) }
        return year(parts[0]).map { (.date(month: month, day: day), $0) }
    }
}

extension HolidayRule.Day {
    /// True if it is a date that exists in the year.
    fileprivate func isDate(in year: Int) -> Bool {
        guard case .date(let month, let day) = self else { return false }
        return CivilTime(year: year, month: month, day: day).isValid
    }
}
