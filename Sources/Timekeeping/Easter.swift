// SPDX-License-Identifier: Apache-2.0

/// The dates of Easter Sunday.
enum Easter {
    /// Easter Sunday of the western churches, in the Gregorian calendar, from 1583 on: the anonymous algorithm as
    /// printed by J. Meeus, "Astronomical Algorithms", chapter 8.
    static func western(_ year: Int) -> CivilTime {
        let (golden, century, rest) = (year % 19, year / 100, year % 100)
        let correction = (century - (century + 8) / 25 + 1) / 3
        let moon = (19 * golden + century - century / 4 - correction + 15) % 30
        let sunday = (32 + 2 * (century % 4) + 2 * (rest / 4) - moon - rest % 4) % 7
        let march = moon + sunday - 7 * ((golden + 11 * moon + 22 * sunday) / 451) + 114
        return CivilTime(year: year, month: march / 31, day: march % 31 + 1)
    }

    /// Easter Sunday of the churches that reckon by the Julian calendar, as a date of the Gregorian one (Meeus,
    /// likewise).
    static func orthodox(_ year: Int) -> CivilTime {
        let moon = (19 * (year % 19) + 15) % 30
        let sunday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7
        let march = moon + sunday + 114
        let julian = CivilTime(year: year, month: march / 31, day: march % 31 + 1)
        // From March on, the calendars differ by the leap days of the full centuries.
        return CivilTime(dayNumber: julian.dayNumber + year / 100 - year / 400 - 2)
    }
}

extension CivilTime {
    /// The number of the day since 1970-01-01.
    var dayNumber: Int {
        let seconds = epochSeconds
        return Int((seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400)
    }

    /// Midnight of the day with this number.
    init(dayNumber: Int) { self.init(epochSeconds: Int64(dayNumber) * 86_400) }

    /// The weekday of a day with this number, 0 Monday to 6 Sunday. 1970-01-01 was a Thursday.
    static func weekday(ofDay number: Int) -> Int { ((number + 3) % 7 + 7) % 7 }
}
