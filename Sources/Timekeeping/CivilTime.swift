// SPDX-License-Identifier: Apache-2.0

/// A local date and time to the second, in the proleptic Gregorian calendar.
public struct CivilTime: Comparable, Hashable, Sendable {
    /// The year, such as 2026.
    public var year: Int
    /// 1 to 12.
    public var month: Int
    /// The day of the month, 1 to 31.
    public var day: Int
    /// 0 to 23.
    public var hour: Int
    /// 0 to 59.
    public var minute: Int
    /// 0 to 59; leap seconds do not exist, as in POSIX time.
    public var second: Int

    /// The time with these fields, unvalidated; see `isValid`.
    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
    }

    /// The local time `epochSeconds` after 1970-01-01 UTC, `utcOffsetMinutes` ahead of UTC.
    public init(epochSeconds: Int64, utcOffsetMinutes: Int = 0) {
        let local = epochSeconds + Int64(utcOffsetMinutes) * 60
        var days = local / 86_400
        var rest = local % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        // Days since 0000-03-01, in eras of 400 years, so that leap days fall at the end of a year.
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: Int(yearOfEra + era * 400 + (month <= 2 ? 1 : 0)),
            month: Int(month),
            day: Int(dayOfYear - (153 * monthFromMarch + 2) / 5 + 1),
            hour: Int(rest / 3600),
            minute: Int(rest / 60 % 60),
            second: Int(rest % 60))
    }

    /// True if the date and time exist.
    public var isValid: Bool {
        (1...12).contains(month) && (1...CivilTime.days(in: month, of: year)).contains(day)
            && (0...23).contains(hour) && (0...59).contains(minute) && (0...59).contains(second)
    }

    /// Seconds since 1970-01-01 00:00 on the same clock, without an offset. Precondition: `isValid`.
    public var epochSeconds: Int64 {
        let shiftedYear = Int64(month <= 2 ? year - 1 : year)
        let era = (shiftedYear >= 0 ? shiftedYear : shiftedYear - 399) / 400
        let yearOfEra = shiftedYear - era * 400
        let monthFromMarch = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }

    /// The chronological order.
    public static func < (left: CivilTime, right: CivilTime) -> Bool {
        (left.year, left.month, left.day, left.hour, left.minute, left.second)
            < (right.year, right.month, right.day, right.hour, right.minute, right.second)
    }

    /// The number of days of `month` (1 to 12) in `year`.
    public static func days(in month: Int, of year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
