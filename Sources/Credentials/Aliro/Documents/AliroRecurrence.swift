// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Timekeeping

/// The days on which a schedule recurs: duration, mask, pattern, interval and ordinal. The patterns are those of
/// iCalendar (RFC 5545, 3.3.10), with weeks from Monday.
struct AliroRecurrence {
    /// The longest duration of one occurrence in seconds. It bounds the search for one that has begun; a year of it
    /// reaches the next occurrence of every pattern.
    static let maximumDuration: Int64 = 366 * AliroSchedule.day

    private enum Pattern {
        case daily
        case weekly
        /// The `ordinal`-th of a weekday in its month, from the end if negative.
        case weekdayOfMonth
        /// The dates of the mask.
        case dates
        /// The `ordinal`-th day of a month, from the end if negative.
        case date
        /// The `ordinal`-th week of a year (ISO 8601), from the end if negative.
        case week
    }

    /// The unit of the interval.
    private enum Period { case day, week, month, year }

    /// Seconds of one occurrence.
    let duration: Int64
    private let interval: Int64
    private let ordinal: Int64
    private let pattern: Pattern
    private let period: Period
    /// From Monday in bit 0.
    private let weekdays: Int64
    /// From January in bit 0.
    private let months: Int64
    /// From the first in bit 0.
    private let dates: Int64

    private static let allWeekdays: Int64 = 0x7F
    private static let allMonths: Int64 = 0xFFF
    private static let allDates: Int64 = 0x7FFF_FFFF

    /// Parses a recurrence.
    ///
    /// - Throws: `noRight` for a meaning that is open, `format` for all else.
    init(_ node: CBORNode) throws(AliroDocumentFault) {
        guard let fields = node.array, fields.count == 5,
            let duration = try AliroSchedule.number(fields[0], in: 1...Int64(UInt32.max)),
            let mask = try AliroSchedule.number(fields[1], in: 0...Int64(UInt32.max)),
            let number = try AliroSchedule.number(fields[2], in: 1...8),
            let interval = try AliroSchedule.number(fields[3], in: 1...255),
            let ordinal = try AliroSchedule.number(fields[4], in: Self.ordinals(of: number))
        else { throw .format }
        guard duration <= Self.maximumDuration else { throw .noRight }
        (self.duration, self.interval, self.ordinal) = (duration, interval, ordinal)
        let hasDates = number == 4 && ordinal == 0
        // The mask has no other bits than its pattern's.
        let known: Int64 =
            switch number {
            case 1: 0
            case 4 where hasDates: Self.allDates
            case 2, 3, 4: Self.allWeekdays
            default: Self.allWeekdays | Self.allMonths << 7
            }
        guard mask & ~known == 0, ordinal != 0 || number < 3 || hasDates else { throw .format }
        dates = mask
        weekdays = mask & Self.allWeekdays
        months = number > 4 ? mask >> 7 : Self.allMonths
        switch number {
        case 1: (pattern, period) = (.daily, .day)
        case 2: (pattern, period) = (.weekly, .week)
        case 3, 5: (pattern, period) = (.weekdayOfMonth, number == 3 ? .month : .year)
        case 4, 6: (pattern, period) = (hasDates ? .dates : .date, number == 4 ? .month : .year)
        case 7: (pattern, period) = (.week, .year)
        // The week that is the first of a month: no source says which.
        default: throw .noRight
        }
        guard isClear else { throw .noRight }
    }

    /// False if the source leaves the meaning open.
    private var isClear: Bool {
        switch pattern {
        case .daily: true
        case .weekly: weekdays != 0
        // With several weekdays, the ordinal may count each or all together.
        case .weekdayOfMonth: weekdays.nonzeroBitCount == 1 && months != 0
        case .dates: dates != 0
        case .date: months != 0
        // The days of a first or last week can be in another year, which an interval counts or does not.
        case .week: weekdays != 0 && months == 0 && interval == 1
        }
    }

    /// True if an occurrence begins on `day` of a schedule that begins on `first`, in days since 1970-01-01.
    func occurs(on day: Int64, since first: Int64) -> Bool {
        let date = CivilTime(epochSeconds: day * AliroSchedule.day)
        // 1970-01-01 was a Thursday.
        let weekday = (day + 3) % 7
        let isWeekday = weekdays >> weekday & 1 == 1
        let isMonth = months >> Int64(date.month - 1) & 1 == 1
        let length = CivilTime.days(in: date.month, of: date.year)
        let isDay =
            switch pattern {
            case .daily: true
            case .weekly: isWeekday
            case .weekdayOfMonth: isWeekday && isMonth && isOrdinal((date.day - 1) / 7, (length - date.day) / 7)
            case .dates: dates >> Int64(date.day - 1) & 1 == 1
            case .date:
                (isWeekday || weekdays == 0) && isMonth && isOrdinal(date.day - 1, length - date.day)
            case .week: isWeekday && isWeek(ofThursday: day - weekday + 3)
            }
        return isDay && (number(of: day) - number(of: first)) % interval == 0
    }

    /// True if the ordinal names the place that has `before` others before and `after` others after it.
    private func isOrdinal(_ before: Int, _ after: Int) -> Bool {
        ordinal > 0 ? ordinal == before + 1 : ordinal == -(after + 1)
    }

    /// A week belongs to the year of its Thursday.
    private func isWeek(ofThursday day: Int64) -> Bool {
        let year = CivilTime(epochSeconds: day * AliroSchedule.day).year
        let newYear = CivilTime(year: year, month: 1, day: 1).epochSeconds / AliroSchedule.day
        let nextYear = CivilTime(year: year + 1, month: 1, day: 1).epochSeconds / AliroSchedule.day
        return isOrdinal(Int(day - newYear) / 7, Int(nextYear - 1 - day) / 7)
    }

    /// The number of the day's period.
    private func number(of day: Int64) -> Int64 {
        let date = CivilTime(epochSeconds: day * AliroSchedule.day)
        return switch period {
        case .day: day
        case .week: (day + 3) / 7
        case .month: Int64(date.year * 12 + date.month)
        case .year: Int64(date.year)
        }
    }

    private static func ordinals(of pattern: Int64) -> ClosedRange<Int64> {
        switch pattern {
        case 3, 5, 8: -5...5
        case 4, 6: -31...31
        case 7: -53...53
        default: 0...0
        }
    }
}
