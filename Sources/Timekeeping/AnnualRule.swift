// SPDX-License-Identifier: Apache-2.0

/// An offset from UTC with its annual daylight saving time, in POSIX notation: `CET-1CEST,M3.5.0,M10.5.0/3`
/// (POSIX.1-2017, Base Definitions, 8.3; hours beyond 24 and below 0 as in RFC 8536, 3.3.1).
struct AnnualRule: Equatable, Sendable {
    /// An annual change of the clock, as day and time.
    struct Change: Equatable, Sendable {
        enum Day: Equatable, Sendable {
            /// `Jn`: 1 to 365, 29 February is not counted.
            case julian(Int)
            /// `n`: 0 to 365, 29 February is counted.
            case zeroBased(Int)
            /// `Mm.w.d`: the w-th (5 is the last) weekday d, from Sunday, of month m.
            case weekday(month: Int, week: Int, day: Int)
        }

        var day: Day
        /// Seconds after local midnight on the clock before the change; −167 to 167 hours.
        var seconds: Int64
    }

    struct DaylightSaving: Equatable, Sendable {
        /// Seconds ahead of UTC during daylight saving time.
        var offset: Int64
        var start: Change
        var end: Change
    }

    /// Seconds ahead of UTC during standard time.
    let standardOffset: Int64
    let daylightSaving: DaylightSaving?

    init(standardOffset: Int64, daylightSaving: DaylightSaving? = nil) {
        self.standardOffset = standardOffset
        self.daylightSaving = daylightSaving
    }

    /// The seconds by which local time is ahead of UTC, `epochSeconds` after 1970-01-01 UTC.
    func offsetSeconds(at epochSeconds: Int64) -> Int64 {
        guard let saving = daylightSaving else { return standardOffset }
        // The latest change before now applies. Near a new year it may belong to the previous or next year in UTC.
        let year = CivilTime(epochSeconds: epochSeconds).year
        var latest: (instant: Int64, offset: Int64)?
        func consider(_ instant: Int64, _ offset: Int64) {
            guard instant <= epochSeconds else { return }
            // If one season ends as the next begins, daylight saving time lasts all year: its start wins.
            if let known = latest, instant < known.instant || instant == known.instant && offset == standardOffset {
                return
            }
            latest = (instant, offset)
        }
        // Called for every frame, hence without lists.
        for year in year - 1...year + 1 {
            consider(saving.start.epochSeconds(in: year) - standardOffset, saving.offset)
            consider(saving.end.epochSeconds(in: year) - saving.offset, standardOffset)
        }
        return latest?.offset ?? standardOffset
    }
}

extension AnnualRule.Change {
    /// The change in seconds since 1970 on the clock before the change.
    func epochSeconds(in year: Int) -> Int64 {
        func midnight(_ month: Int, _ day: Int) -> Int64 {
            CivilTime(year: year, month: month, day: day).epochSeconds
        }
        let start: Int64
        switch day {
        case .julian(let number):
            let leapDay = number >= 60 && CivilTime.days(in: 2, of: year) == 29 ? 1 : 0
            start = midnight(1, 1) + Int64(number - 1 + leapDay) * 86_400
        case .zeroBased(let number):
            start = midnight(1, 1) + Int64(number) * 86_400
        case .weekday(let month, let week, let weekday):
            let first = midnight(month, 1)
            // 1970-01-01 was a Thursday, the fourth day from Sunday.
            let firstWeekday = Int(((first / 86_400) % 7 + 7 + 4) % 7)
            var date = 1 + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
            while date > CivilTime.days(in: month, of: year) { date -= 7 }
            start = midnight(month, date)
        }
        return start + seconds
    }
}
