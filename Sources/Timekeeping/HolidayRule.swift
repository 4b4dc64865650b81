// SPDX-License-Identifier: Apache-2.0

/// The days of a holiday: one day a year or a range of days, in all years or some.
public struct HolidayRule: Hashable, Sendable {
    /// A day of each year.
    public enum Day: Hashable, Sendable {
        /// A date; 29 February does not occur in every year.
        case date(month: Int, day: Int)
        /// This many days after Easter Sunday, or before it.
        case easter(offset: Int, isOrthodox: Bool)
        /// The first to fourth weekday of a month, or the last with 5. The weekday is 0 Monday to 6 Sunday.
        case weekday(Int, week: Int, month: Int)
        /// The weekday nearest before a date, or nearest after it, and never the date itself.
        case near(weekday: Int, isBefore: Bool, month: Int, day: Int)
    }

    /// The offsets from Easter that stay within its year.
    public static let easterOffsets = -80...250
    /// The years for which days are computed: the Gregorian calendar, as far as dates are written with four digits.
    public static let allYears = 1583...9999

    /// The day, or the first of the range.
    public let first: Day
    /// The last day of the range, in the next year if both are dates and this is the earlier one; nil for one day.
    public let last: Day?
    /// The years in which the first day lies.
    public let years: ClosedRange<Int>

    /// Creates a rule; nil if a number is out of range, or if the range ends before it begins in some year from 2000
    /// to 2100. A range neither begins nor ends on 29 February.
    public init?(_ first: Day, through last: Day? = nil, years: ClosedRange<Int> = HolidayRule.allYears) {
        guard HolidayRule.allYears.contains(years.lowerBound), HolidayRule.allYears.contains(years.upperBound),
            first.isValid, last?.isValid ?? true
        else { return nil }
        (self.first, self.last, self.years) = (first, last, years)
        guard let last else { return }
        let leapDay = Day.date(month: 2, day: 29)
        guard first != last, first != leapDay, last != leapDay else { return nil }
        if case .date = first, case .date = last { return }
        let isOrdered = (2000...2100).allSatisfy { year in
            guard let begin = first.number(in: year), let end = last.number(in: year) else { return false }
            return begin < end
        }
        guard isOrdered else { return nil }
    }

    /// True if the day of this valid time belongs to the holiday.
    public func covers(_ day: CivilTime) -> Bool {
        if last == nil, case .date(let month, let number) = first {
            return day.month == month && day.day == number && years.contains(day.year)
        }
        let number = day.dayNumber
        // A range may have begun in the year before. A weekday before 2 January may lie in the year before its rule's.
        return (day.year - 1...day.year + 1).contains { days(in: $0)?.contains(number) ?? false }
    }

    /// The days of the year's occurrence, numbered since 1970-01-01; nil for none.
    func days(in year: Int) -> ClosedRange<Int>? {
        guard years.contains(year), let begin = first.number(in: year) else { return nil }
        guard let last, let end = last.number(in: year) else { return begin...begin }
        if end >= begin { return begin...end }
        return last.number(in: year + 1).map { begin...max(begin, $0) }
    }
}

extension HolidayRule.Day {
    fileprivate var isValid: Bool {
        switch self {
        case .date(let month, let day): Self.exists(month, day)
        case .easter(let offset, _): HolidayRule.easterOffsets.contains(offset)
        case .weekday(let weekday, let week, let month): 0...6 ~= weekday && 1...5 ~= week && 1...12 ~= month
        case .near(let weekday, _, let month, let day):
            // The date has to exist in each year.
            0...6 ~= weekday && Self.exists(month, day) && (month, day) != (2, 29)
        }
    }

    private static func exists(_ month: Int, _ day: Int) -> Bool {
        CivilTime(year: 2000, month: month, day: day).isValid
    }

    /// The day's number since 1970-01-01; nil in a year without it.
    fileprivate func number(in year: Int) -> Int? {
        switch self {
        case .date(let month, let day):
            let date = CivilTime(year: year, month: month, day: day)
            return date.isValid ? date.dayNumber : nil
        case .easter(let offset, let isOrthodox):
            return (isOrthodox ? Easter.orthodox(year) : Easter.western(year)).dayNumber + offset
        case .weekday(let weekday, let week, let month):
            let first = CivilTime(year: year, month: month, day: 1).dayNumber
            let day = 1 + (weekday - CivilTime.weekday(ofDay: first) + 7) % 7 + (week - 1) * 7
            return first + day - 1 - (day > CivilTime.days(in: month, of: year) ? 7 : 0)
        case .near(let weekday, let isBefore, let month, let day):
            let date = CivilTime(year: year, month: month, day: day).dayNumber
            let ahead = (weekday - CivilTime.weekday(ofDay: date) + 7) % 7
            return date + (isBefore ? ahead - 7 : ahead == 0 ? 7 : ahead)
        }
    }
}
