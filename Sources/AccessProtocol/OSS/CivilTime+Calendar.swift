// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// Calendar fields for schedules. All of them require a valid time.
extension CivilTime {
    /// 0 Monday to 6 Sunday.
    public var weekday: Int {
        // 1970-01-01 was a Thursday.
        let days = midnight.epochSeconds / 86_400
        return Int(((days + 3) % 7 + 7) % 7)
    }

    /// The day of the year in schedules, 1 to 366 in every year: 1 March is always 61 and 31 December always 366. The
    /// number 60 is 29 February, and does not occur in years without one (access protocol, `LocalTimeSchedule`).
    public var scheduleDay: Int {
        let (first, day) = (CivilTime(year: 2000, month: 1, day: 1), CivilTime(year: 2000, month: month, day: day))
        return Int((day.epochSeconds - first.epochSeconds) / 86_400) + 1
    }

    /// 0 to 1439.
    public var minuteOfDay: UInt16 { UInt16(clamping: hour * 60 + minute) }

    /// The time `minutes` after the start of the day; 1440 is the start of the next day.
    public func dayBeginning(plusMinutes minutes: Int, days: Int = 0) -> CivilTime {
        CivilTime(epochSeconds: midnight.epochSeconds + Int64(days) * 86_400 + Int64(minutes) * 60)
    }

    private var midnight: CivilTime { CivilTime(year: year, month: month, day: day) }
}
