// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Timekeeping

/// The hours in which a door is unlocked by schedule: parts of the day on some weekdays of a part of the year, except
/// holidays and closed days.
///
/// All times are local wall-clock time. The hour that the clock skips in spring does not exist, and the hour that it
/// repeats in autumn counts twice. A span belongs to the day on which it begins, even if it ends after midnight: a
/// holiday or closed day removes the spans that begin on it.
public struct OfficeHours: Equatable, Sendable {
    /// The maximum number of spans.
    public static let limit = 64

    /// The spans in which the door is unlocked.
    public var spans: [Span]
    /// The days on which no span begins, not even one for holidays.
    public var closedDays: Holidays

    /// Creates hours with these spans and closed days.
    public init(spans: [Span] = [], closedDays: Holidays = Holidays()) {
        (self.spans, self.closedDays) = (spans, closedDays)
    }

    /// True if the door is unlocked by schedule at this local time. On `holidays` only the spans for holidays begin.
    public func isOpen(at now: CivilTime, _ holidays: Holidays = Holidays()) -> Bool {
        guard now.isValid else { return false }
        let yesterday = now.dayBeginning(plusMinutes: 0, days: -1)
        let minute = Int(now.minuteOfDay)
        return spans.contains { span in
            switch span.isOvernight {
            case false: minute >= span.from && minute <= span.to && begins(span, on: now, holidays)
            case true:
                minute >= span.from && begins(span, on: now, holidays)
                    || minute <= span.to && begins(span, on: yesterday, holidays)
            }
        }
    }

    private func begins(_ span: Span, on day: CivilTime, _ holidays: Holidays) -> Bool {
        span.isInYear(day) && holidays.permit(span.weekdays, on: day, weekday: day.weekday) && !closedDays.covers(day)
    }

    /// A part of the day, on some weekdays of a part of the year.
    public struct Span: Equatable, Sendable {
        /// The first minute of the day, 0 to 1439.
        public let from: Int
        /// The last minute, included; 1440 is the end of the day. One before `from` is on the next day.
        public let to: Int
        /// The weekdays on which the span begins, bit 0 Monday to bit 6 Sunday, and `Holidays.bit`.
        public let weekdays: UInt8
        /// The first day of the year on which the span begins, numbered as in `CivilTime.scheduleDay`. One after
        /// `lastDay` spans the new year.
        public let firstDay: Int
        /// The last day of the year on which the span begins.
        public let lastDay: Int

        /// Creates a span with these parts; nil if a number is out of range, or `from` equals `to`.
        public init?(from: Int, to: Int, weekdays: UInt8 = 0x7F, firstDay: Int = 1, lastDay: Int = 366) {
            guard 0..<1440 ~= from, 0...1440 ~= to, from != to, 1...366 ~= firstDay, 1...366 ~= lastDay else {
                return nil
            }
            (self.from, self.to) = (from, to)
            (self.weekdays, self.firstDay, self.lastDay) = (weekdays, firstDay, lastDay)
        }

        /// Creates the span from a backend's schedule (access protocol, `LocalTimeSchedule`); nil if it is invalid.
        public init?(_ schedule: LocalTimeSchedule) {
            let period = schedule.timePeriod
            guard period.hoursFrom < 24, period.minutesFrom < 60, period.hoursTo <= 24, period.minutesTo < 60 else {
                return nil
            }
            var weekdays: UInt8 = 0
            for (day, applies) in schedule.weekdays.prefix(7).enumerated() where applies { weekdays |= 1 << UInt8(day) }
            self.init(
                from: Int(period.hoursFrom * 60 + period.minutesFrom), to: Int(period.hoursTo * 60 + period.minutesTo),
                weekdays: weekdays, firstDay: Int(schedule.dayOfYearStart), lastDay: Int(schedule.dayOfYearEnd))
        }

        /// True if the span ends on the next day.
        var isOvernight: Bool { to < from }

        fileprivate func isInYear(_ day: CivilTime) -> Bool {
            let number = day.scheduleDay
            return firstDay <= lastDay ? (firstDay...lastDay).contains(number) : number >= firstDay || number <= lastDay
        }
    }
}
