/// A zone's offset from UTC with its daylight saving, as POSIX writes it: `CET-1CEST,M3.5.0,M10.5.0/3`.
///
/// The rule of today is taken to hold for ever, before and after: a reader asks for the present time only, and a zone
/// whose law has changed needs the new rule either way. (POSIX.1-2017, Base Definitions, 8.3; the hours beyond 24 and
/// below 0 of RFC 8536, 3.3.1.)
public struct TimeZoneRule: Equatable, Sendable {
    /// A day and time of each year at which the clock is put forward or back.
    struct Change: Equatable, Sendable {
        enum Day: Equatable, Sendable {
            /// `Jn`: 1 to 365, and 29 February is never counted.
            case julian(Int)
            /// `n`: 0 to 365, and 29 February is counted.
            case zeroBased(Int)
            /// `Mm.w.d`: the w-th (5 is the last) weekday d, from Sunday, of month m.
            case weekday(month: Int, week: Int, day: Int)
        }

        var day: Day
        /// Seconds after local midnight, by the clock that shows until then; −167 to 167 hours.
        var seconds: Int64
    }

    struct DaylightSaving: Equatable, Sendable {
        /// Seconds ahead of UTC while it lasts.
        var offset: Int64
        var start: Change
        var end: Change
    }

    /// Seconds ahead of UTC, without daylight saving.
    let standardOffset: Int64
    let daylightSaving: DaylightSaving?

    /// Coordinated universal time.
    public static let utc = TimeZoneRule(utcOffsetMinutes: 0)

    /// A zone that is always `utcOffsetMinutes` ahead of UTC.
    public init(utcOffsetMinutes: Int) {
        standardOffset = Int64(utcOffsetMinutes) * 60
        daylightSaving = nil
    }

    init(standardOffset: Int64, daylightSaving: DaylightSaving?) {
        self.standardOffset = standardOffset
        self.daylightSaving = daylightSaving
    }

    /// How many seconds the local time is ahead of UTC, `epochSeconds` after 1970-01-01 UTC.
    public func offsetSeconds(at epochSeconds: Int64) -> Int64 {
        guard let saving = daylightSaving else { return standardOffset }
        // The change nearest before now decides. Near a new year it may be one of the year before or after by UTC.
        let year = CivilTime(epochSeconds: epochSeconds).year
        var latest: (instant: Int64, offset: Int64)?
        func consider(_ instant: Int64, _ offset: Int64) {
            guard instant <= epochSeconds else { return }
            // Where one season ends as the next begins, daylight saving lasts all year: its beginning wins.
            if let known = latest, instant < known.instant || instant == known.instant && offset == standardOffset {
                return
            }
            latest = (instant, offset)
        }
        // Asked for with every frame, so without lists.
        for year in year - 1...year + 1 {
            consider(saving.start.epochSeconds(in: year) - standardOffset, saving.offset)
            consider(saving.end.epochSeconds(in: year) - saving.offset, standardOffset)
        }
        return latest?.offset ?? standardOffset
    }

    /// The local time, `epochSeconds` after 1970-01-01 UTC.
    public func civilTime(at epochSeconds: Int64) -> CivilTime {
        CivilTime(epochSeconds: epochSeconds + offsetSeconds(at: epochSeconds))
    }
}

extension TimeZoneRule.Change {
    /// The change as seconds since 1970 by the clock that shows until then.
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
