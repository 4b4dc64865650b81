public import AccessProtocol
internal import Timekeeping

/// A group of doors that this one is in: a credential may name the group in place of the door.
public struct DoorGroup: Equatable, Sendable {
    /// How many schedules a group has at most (access protocol, 7.1).
    public static let scheduleLimit = 4

    /// The group's number, from 1.
    public var id: UInt16
    /// When credentials for the group are taken at all, in addition to their own schedules; always if there are none.
    public var schedules: [Schedule]

    /// A group with these schedules.
    public init(id: UInt16, schedules: [Schedule] = []) {
        self.id = id
        self.schedules = schedules
    }

    /// A part of the day, on some weekdays of a part of the year; all ends included.
    public struct Schedule: Hashable, Sendable {
        /// The days of the year, 1 to 366. One that begins after its end spans the new year.
        public var firstDay: Int
        /// The last of the days.
        public var lastDay: Int
        /// The weekdays, bit 0 Monday to bit 6 Sunday.
        public var weekdays: UInt8
        /// When in the day.
        public var period: OSSTimePeriod

        /// A schedule with these parts.
        public init(firstDay: Int = 1, lastDay: Int = 366, weekdays: UInt8 = 0x7F, period: OSSTimePeriod) {
            (self.firstDay, self.lastDay, self.weekdays, self.period) = (firstDay, lastDay, weekdays, period)
        }

        /// The schedule that a backend configures; throws −234 for a part of the day that is none.
        public init(_ schedule: LocalTimeSchedule) throws(StatusCode) {
            let period = schedule.timePeriod
            self.init(
                firstDay: Int(schedule.dayOfYearStart), lastDay: Int(schedule.dayOfYearEnd), weekdays: 0,
                period: try OSSTimePeriod(
                    fromHour: UInt8(clamping: period.hoursFrom), fromMinute: UInt8(clamping: period.minutesFrom),
                    toHour: UInt8(clamping: period.hoursTo), toMinute: UInt8(clamping: period.minutesTo)))
            for (day, applies) in schedule.weekdays.prefix(7).enumerated() where applies {
                weekdays |= 1 << UInt8(day)
            }
        }

        /// Whether it covers the time, to the minute.
        func contains(_ now: CivilTime) -> Bool {
            let day = now.dayOfYear
            let isInYear =
                firstDay <= lastDay ? (firstDay...lastDay).contains(day) : day >= firstDay || day <= lastDay
            return isInYear && weekdays >> UInt8(now.weekday) & 1 == 1 && period.contains(now.minuteOfDay)
        }
    }

    /// Until when credentials for the group are taken at `now`; nil if they are not.
    func standing(at now: CivilTime) -> ScheduleStanding {
        guard !schedules.isEmpty else { return .always }
        let ends = schedules.filter { $0.contains(now) }.map { now.dayBeginning(plusMinutes: Int($0.period.to)) }
        return ends.max().map { .until($0) } ?? .outside
    }
}

/// What a schedule says at a time.
enum ScheduleStanding: Equatable {
    /// There is none.
    case always
    /// It covers the time, and ends then.
    case until(CivilTime)
    /// It does not cover the time.
    case outside

    /// What both together say.
    func and(_ other: ScheduleStanding) -> ScheduleStanding {
        switch (self, other) {
        case (.outside, _), (_, .outside): .outside
        case (.always, let rest), (let rest, .always): rest
        case (.until(let one), .until(let two)): .until(min(one, two))
        }
    }

    /// What either lets through, the longer.
    func or(_ other: ScheduleStanding) -> ScheduleStanding {
        switch (self, other) {
        case (.always, _), (_, .always): .always
        case (.outside, let rest), (let rest, .outside): rest
        case (.until(let one), .until(let two)): .until(max(one, two))
        }
    }
}
