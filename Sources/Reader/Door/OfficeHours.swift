public import AccessProtocol
public import Timekeeping

/// When a door stands open by itself: parts of the day on some weekdays of a part of the year, less closed days.
///
/// All of it is local time as a wall clock shows it. An hour that the clock skips in spring is not there, and one that
/// it shows twice in autumn counts twice. A span belongs to the day on which it begins, also where it goes on after
/// midnight: a closed day takes away what begins on it.
public struct OfficeHours: Equatable, Sendable {
    /// The most spans, and the most closed days.
    public static let limit = 64

    /// When it is open.
    public var spans: [Span]
    /// When it is not, in spite of them.
    public var closedDays: [ClosedDay]

    /// Hours with these spans and closed days.
    public init(spans: [Span] = [], closedDays: [ClosedDay] = []) {
        (self.spans, self.closedDays) = (spans, closedDays)
    }

    /// Whether the door is open by itself at this local time.
    public func isOpen(at now: CivilTime) -> Bool {
        guard now.isValid else { return false }
        let yesterday = now.dayBeginning(plusMinutes: 0, days: -1)
        let minute = Int(now.minuteOfDay)
        return spans.contains { span in
            switch span.isOvernight {
            case false: minute >= span.from && minute <= span.to && begins(span, on: now)
            case true:
                minute >= span.from && begins(span, on: now) || minute <= span.to && begins(span, on: yesterday)
            }
        }
    }

    private func begins(_ span: Span, on day: CivilTime) -> Bool {
        span.applies(on: day) && !closedDays.contains { $0.covers(day) }
    }

    /// A part of the day, on some weekdays of a part of the year.
    public struct Span: Equatable, Sendable {
        /// The first minute of the day that belongs to it, 0 to 1439.
        public let from: Int
        /// The last minute that belongs to it; 1440 is the day's end. One before `from` is of the next day.
        public let to: Int
        /// The weekdays on which it begins, bit 0 Monday to bit 6 Sunday.
        public let weekdays: UInt8
        /// The first day of the year on which it begins, 1 to 366. One after `lastDay` spans the new year.
        public let firstDay: Int
        /// The last day of the year on which it begins.
        public let lastDay: Int

        /// A span with these parts; nil if a number is none, or the beginning is the end.
        public init?(from: Int, to: Int, weekdays: UInt8 = 0x7F, firstDay: Int = 1, lastDay: Int = 366) {
            guard 0..<1440 ~= from, 0...1440 ~= to, from != to, 1...366 ~= firstDay, 1...366 ~= lastDay else {
                return nil
            }
            (self.from, self.to) = (from, to)
            (self.weekdays, self.firstDay, self.lastDay) = (weekdays & 0x7F, firstDay, lastDay)
        }

        /// The span that a backend configures (access protocol, `LocalTimeSchedule`); nil for one that is none.
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

        /// Whether it ends on the day after it began.
        var isOvernight: Bool { to < from }

        fileprivate func applies(on day: CivilTime) -> Bool {
            let number = day.dayOfYear
            let isInYear =
                firstDay <= lastDay ? (firstDay...lastDay).contains(number) : number >= firstDay || number <= lastDay
            return isInYear && weekdays >> UInt8(day.weekday) & 1 == 1
        }
    }

    /// A day without hours: of one year, or of each.
    public struct ClosedDay: Equatable, Sendable {
        /// The year; nil for every year.
        public let year: Int?
        /// 1 to 12.
        public let month: Int
        /// The day of the month.
        public let day: Int

        /// The day; nil if there is none of this name. 29 February of every year is one.
        public init?(year: Int?, month: Int, day: Int) {
            guard CivilTime(year: year ?? 2000, month: month, day: day).isValid else { return nil }
            (self.year, self.month, self.day) = (year, month, day)
        }

        func covers(_ now: CivilTime) -> Bool {
            now.month == month && now.day == day && (year.map { $0 == now.year } ?? true)
        }
    }
}
