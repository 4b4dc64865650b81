// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
internal import Timekeeping

/// A group of doors that includes this one. A credential may name the group instead of the door.
public struct DoorGroup: Equatable, Sendable {
    /// The maximum number of schedules of a group (access protocol, 7.1).
    public static let scheduleLimit = 4

    /// The group's number, from 1.
    public var id: UInt16
    /// The times at which credentials for the group are accepted, in addition to their own schedules; always if empty.
    public var schedules: [Schedule]

    /// Creates a group with these schedules.
    public init(id: UInt16, schedules: [Schedule] = []) {
        self.id = id
        self.schedules = schedules
    }

    /// A part of the day on some weekdays of a part of the year, all ends included.
    public struct Schedule: Hashable, Sendable {
        /// The first day of the year, numbered as in `CivilTime.scheduleDay`. One after `lastDay` spans the new year.
        public var firstDay: Int
        /// The last day of the year, numbered likewise.
        public var lastDay: Int
        /// The weekdays, bit 0 Monday to bit 6 Sunday, and `Holidays.bit`.
        public var weekdays: UInt8
        /// The part of the day.
        public var period: OSSTimePeriod

        /// Creates a schedule with these parts.
        public init(firstDay: Int = 1, lastDay: Int = 366, weekdays: UInt8 = 0x7F, period: OSSTimePeriod) {
            (self.firstDay, self.lastDay, self.weekdays, self.period) = (firstDay, lastDay, weekdays, period)
        }

        /// Creates the schedule from a backend's.
        ///
        /// - Throws: −234 for an invalid part of the day.
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

        /// True if the schedule covers the time, to the minute.
        func contains(_ now: CivilTime, _ holidays: Holidays) -> Bool {
            let day = now.scheduleDay
            let isInYear =
                firstDay <= lastDay ? (firstDay...lastDay).contains(day) : day >= firstDay || day <= lastDay
            return isInYear && period.contains(now.minuteOfDay)
                && holidays.permit(weekdays, on: now, weekday: now.weekday)
        }
    }

    /// True if any schedule covers the time, and for a group without schedules.
    func isOpen(at now: CivilTime, _ holidays: Holidays = Holidays()) -> Bool {
        schedules.isEmpty || schedules.contains { $0.contains(now, holidays) }
    }
}
