// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Reader
import Testing
import Timekeeping

@testable import ReaderTestSupport

@Suite("Schedules of credentials and groups (access protocol, 7.1, step 8)")
struct ScheduleTests {
    /// The end of the schedule if the door opens; nil if it does not.
    private func end(
        _ schedules: [String], doors: [String] = ["0001 18"], at now: CivilTime, groups: [DoorGroup] = []
    ) throws -> CivilTime?? {
        var files = CredentialFiles()
        files.set(doors: doors, schedules: schedules)
        var blacklist = Blacklist(capacity: 16)
        let decision = CredentialPolicy(groups: groups).decide(
            try files.message(), clock: .certain(now), door: .secured, blacklist: &blacklist)
        #expect(decision.isGranted || decision.outcome == .denied(.schedule))
        #expect(decision.isGranted || decision.scheduleEnd == nil)
        return decision.isGranted ? .some(decision.scheduleEnd) : .none
    }

    @Test("both ends belong to it, to the minute")
    func ends() throws {
        let schedule = ["04 08001730"]
        #expect(try end(schedule, at: wednesday(7, 59, 59)) == .none)
        #expect(try end(schedule, at: wednesday(8, 0)) == wednesday(17, 30))
        #expect(try end(schedule, at: wednesday(17, 30)) == wednesday(17, 30))
        #expect(try end(schedule, at: wednesday(17, 30, 59)) == wednesday(17, 30))
        #expect(try end(schedule, at: wednesday(17, 31)) == .none)
    }

    @Test("each weekday by its bit, Monday first")
    func weekdays() throws {
        for day in 0..<7 {
            let schedule = [String(format2(1 << day)) + " 08001730"]
            for other in 0..<7 {
                // 2024-06-03 was a Monday.
                let now = CivilTime(year: 2024, month: 6, day: 3 + other, hour: 12)
                #expect((try end(schedule, at: now) != .none) == (day == other), "\(day) \(other)")
            }
        }
    }

    private func format2(_ number: Int) -> String {
        let digits = String(number, radix: 16)
        return digits.count == 1 ? "0" + digits : digits
    }

    @Test("a period to 24:00 goes on in the next day's from 00:00, once around the week at most")
    func overnight() throws {
        let thursday = CivilTime(year: 2024, month: 6, day: 6)
        // Two schedules can't be joined, so a schedule of two day ids: 05 is two days with one period each.
        func file(_ days: String) -> (inout CredentialFiles) -> Void {
            { $0.data = octets("203012312358 0001 00 14 01 01 00000000 0001 18" + days) }
        }
        func end(_ days: String, at now: CivilTime) throws -> CivilTime? {
            var files = CredentialFiles()
            file(days)(&files)
            var blacklist = Blacklist(capacity: 16)
            return CredentialPolicy().decide(
                try files.message(), clock: .certain(now), door: .secured, blacklist: &blacklist
            ).scheduleEnd
        }
        #expect(try end("04 22002400  08 00000600", at: wednesday(23, 59)) == thursday.dayBeginning(plusMinutes: 360))
        #expect(try end("04 22002400  08 00010600", at: wednesday(23, 59)) == thursday)
        #expect(try end("04 22002400  10 00000600", at: wednesday(23, 59)) == thursday)
        // Through Thursday into Friday.
        #expect(
            try end("0c 00002400  10 00000600", at: wednesday(12, 0))
                == CivilTime(year: 2024, month: 6, day: 7, hour: 6))
        // All week: it says the same weekday's end, a week later.
        #expect(
            try end("7f 00002400  00 00000000", at: wednesday(12, 0)) == CivilTime(year: 2024, month: 6, day: 13))
        // Sunday into Monday, and over the year.
        #expect(
            try end("02 22002400  04 00000600", at: CivilTime(year: 2024, month: 12, day: 31, hour: 23))
                == CivilTime(year: 2025, month: 1, day: 1, hour: 6))
        #expect(
            try end("40 22002400  01 00000600", at: CivilTime(year: 2024, month: 6, day: 9, hour: 23))
                == CivilTime(year: 2024, month: 6, day: 10, hour: 6))
    }

    @Test("of several entries the longest end is told; an entry without a schedule hides no end")
    func several() throws {
        let schedules = ["04 08001300", "04 08001730", "04 06000700"]
        let noon = wednesday(12, 0)
        #expect(try end(schedules, doors: ["0001 18", "0001 28"], at: noon) == wednesday(17, 30))
        #expect(try end(schedules, doors: ["0001 28", "0001 18"], at: noon) == wednesday(17, 30))
        #expect(try end(schedules, doors: ["0001 38", "0001 18"], at: noon) == wednesday(13, 0))
        #expect(try end(schedules, doors: ["0001 18", "0001 38"], at: noon) == wednesday(13, 0))
        #expect(try end(schedules, doors: ["0001 18", "0001 08"], at: noon) == wednesday(13, 0))
        #expect(try end(schedules, doors: ["0001 08", "0001 28"], at: noon) == wednesday(17, 30))
        #expect(try end(schedules, doors: ["0000 00", "0001 28"], at: noon) == wednesday(17, 30))
        #expect(try end(schedules, doors: ["0001 08", "0001 38"], at: noon) == .some(nil))
        #expect(try end(schedules, doors: ["0001 08", "0002 18"], at: noon) == .some(nil))
        #expect(try end(schedules, doors: ["0001 38", "0001 38"], at: noon) == .none)
    }

    @Test("a group's own schedules have to cover the time as well; their end is not told")
    func groups() throws {
        func group(days: ClosedRange<Int> = 1...366, _ weekdays: UInt8, _ from: UInt8, _ to: UInt8) throws
            -> DoorGroup.Schedule
        {
            DoorGroup.Schedule(
                firstDay: days.lowerBound, lastDay: days.upperBound, weekdays: weekdays,
                period: try OSSTimePeriod(fromHour: from, fromMinute: 0, toHour: to, toMinute: 0))
        }
        let noon = wednesday(12, 0)
        func end(_ schedules: [DoorGroup.Schedule], door: String = "0007 10") throws -> CivilTime?? {
            try self.end(
                ["04 08001730"], doors: [door], at: noon, groups: [DoorGroup(id: 7, schedules: schedules)])
        }
        #expect(try end([]) == wednesday(17, 30))
        #expect(try end([group(0x04, 8, 16)]) == wednesday(17, 30))
        #expect(try end([group(0x04, 8, 20)]) == wednesday(17, 30))
        #expect(try end([group(0x04, 8, 16)], door: "0007 00") == .some(nil))
        #expect(try end([group(0x04, 13, 16)]) == .none)
        #expect(try end([group(0x7B, 8, 16)]) == .none)
        #expect(try end([group(0x04, 13, 16), group(0x04, 8, 14)]) == wednesday(17, 30))
        // 2024-06-05 is day 157.
        #expect(try end([group(days: 157...157, 0x04, 8, 16)]) == wednesday(17, 30))
        #expect(try end([group(days: 1...156, 0x04, 8, 16)]) == .none)
        #expect(try end([group(days: 158...366, 0x04, 8, 16)]) == .none)
        var winter = try group(days: 1...366, 0x04, 8, 16)
        (winter.firstDay, winter.lastDay) = (300, 157)
        #expect(try end([winter]) == wednesday(17, 30))
        (winter.firstDay, winter.lastDay) = (300, 156)
        #expect(try end([winter]) == .none)
    }

    @Test("on a holiday a group holds only by a schedule for holidays; an unknown list closes")
    func holidays() throws {
        func opens(_ weekdays: [UInt8], _ holidays: Holidays) throws -> Bool {
            let schedules = try weekdays.map {
                DoorGroup.Schedule(
                    weekdays: $0, period: try OSSTimePeriod(fromHour: 8, fromMinute: 0, toHour: 17, toMinute: 0))
            }
            var files = CredentialFiles()
            files.set(doors: ["0007 00"], schedules: [])
            var (blacklist, policy) = (Blacklist(capacity: 16), CredentialPolicy())
            (policy.groups, policy.holidays) = ([DoorGroup(id: 7, schedules: schedules)], holidays)
            let decision = policy.decide(
                try files.message(), clock: .certain(wednesday(12, 0)), door: .secured, blacklist: &blacklist)
            #expect(decision.isGranted || decision.outcome == .denied(.schedule))
            return decision.isGranted
        }
        // The Wednesday is 2024-06-05.
        let today = Holidays([Holiday("Today", try #require(HolidayRule(.date(month: 6, day: 5))))])
        let tomorrow = Holidays([Holiday("Tomorrow", try #require(HolidayRule(.date(month: 6, day: 6))))])
        for (weekdays, ordinary, holiday) in [
            ([0x7F], true, false), ([0x80], false, true), ([0x84], true, true), ([0x04, 0x80], true, true),
            ([0x7B], false, false),
        ] as [([UInt8], Bool, Bool)] {
            #expect(try opens(weekdays, Holidays()) == ordinary && opens(weekdays, tomorrow) == ordinary)
            #expect(try opens(weekdays, today) == holiday, "\(weekdays)")
            #expect(try !opens(weekdays, .unknown))
        }
        // A group without a schedule always holds.
        #expect(try opens([], today) && opens([], .unknown))
    }

    @Test("the days of the year have one number in every year")
    func daysOfTheYear() throws {
        let wholeDay = try OSSTimePeriod(fromHour: 0, fromMinute: 0, toHour: 24, toMinute: 0)
        func opens(_ first: Int, _ last: Int, on year: Int, _ month: Int, _ day: Int) throws -> Bool {
            let group = DoorGroup(
                id: 7, schedules: [DoorGroup.Schedule(firstDay: first, lastDay: last, period: wholeDay)])
            let noon = CivilTime(year: year, month: month, day: day, hour: 12)
            return try end([], doors: ["0007 00"], at: noon, groups: [group]) != .none
        }
        for year in 2027...2028 {
            #expect(try opens(61, 61, on: year, 3, 1))
            #expect(try !opens(60, 60, on: year, 3, 1) && !opens(62, 62, on: year, 3, 1))
            #expect(try opens(59, 59, on: year, 2, 28))
            #expect(try opens(366, 366, on: year, 12, 31) && !opens(1, 365, on: year, 12, 31))
            #expect(try opens(365, 365, on: year, 12, 30))
            #expect(try opens(366, 1, on: year, 1, 1) && !opens(366, 1, on: year, 12, 30))
        }
        #expect(try opens(60, 60, on: 2028, 2, 29))
    }

    @Test("a backend's schedule: weekdays from Monday, those missing are none; a part of the day that is none is -234")
    func configured() throws {
        let period = LocalTimeperiod(hoursFrom: 8, minutesFrom: 0, hoursTo: 17, minutesTo: 30)
        let schedule = LocalTimeSchedule(
            dayOfYearStart: 1, dayOfYearEnd: 366, weekdays: [true, false, true], timePeriod: period)
        #expect(try DoorGroup.Schedule(schedule).weekdays == 0x05)
        var bad = schedule
        bad.timePeriod.hoursTo = 300
        #expect(throws: StatusCode.standardOfflinePeriod) { try DoorGroup.Schedule(bad) }
    }
}
