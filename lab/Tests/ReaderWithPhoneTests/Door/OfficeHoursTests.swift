// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

@Suite struct OfficeHoursTests {
    private func hours(_ lines: [String], closed: [String] = []) throws -> OfficeHours {
        OfficeHours(
            spans: try lines.map { try #require(OfficeHoursLine($0)).span },
            closedDays: Holidays(try closed.map { try #require(HolidayLine($0)).holiday }))
    }

    /// 2026-11-21 is a Saturday.
    private func time(_ day: Int, _ hour: Int, _ minute: Int, _ second: Int = 0, month: Int = 11) -> CivilTime {
        CivilTime(year: 2026, month: month, day: day, hour: hour, minute: minute, second: second)
    }

    /// As published for `LocalTimeSchedule`: the last minute belongs to it.
    @Test func bothEndsBelongToASpan() throws {
        let hours = try hours(["mon-fri 08:00-18:00"])
        #expect(!hours.isOpen(at: time(20, 7, 59, 59)) && hours.isOpen(at: time(20, 8, 0)))
        #expect(hours.isOpen(at: time(20, 18, 0, 59)) && !hours.isOpen(at: time(20, 18, 1)))
        #expect(!hours.isOpen(at: time(21, 12, 0)))
    }

    @Test func aSpanOverMidnightBelongsToTheDayItBeginsOn() throws {
        let hours = try hours(["fri 22:00-02:00"])
        #expect(!hours.isOpen(at: time(20, 1, 0)) && hours.isOpen(at: time(20, 22, 0)))
        #expect(hours.isOpen(at: time(20, 23, 59)) && hours.isOpen(at: time(21, 0, 0)))
        #expect(hours.isOpen(at: time(21, 2, 0, 59)) && !hours.isOpen(at: time(21, 2, 1)))
        #expect(!hours.isOpen(at: time(21, 22, 0)))
    }

    @Test func theDaysOfTheYearMaySpanTheNewYear() throws {
        let hours = try hours(["mon-sun 22:00-02:00 366-1"])
        #expect(!hours.isOpen(at: time(30, 23, 0, month: 12)) && hours.isOpen(at: time(31, 23, 0, month: 12)))
        // It begins on 1 January for the last time, and goes on into the 2nd.
        #expect(hours.isOpen(at: CivilTime(year: 2027, month: 1, day: 2, hour: 1)))
        #expect(!hours.isOpen(at: CivilTime(year: 2027, month: 1, day: 2, hour: 23)))
    }

    @Test func theDaysOfTheYearHaveOneNumberInEveryYear() throws {
        let march = try hours(["mon-sun 08:00-12:00 61-61"])
        for year in 2026...2028 {
            #expect(march.isOpen(at: CivilTime(year: year, month: 3, day: 1, hour: 9)))
            #expect(!march.isOpen(at: CivilTime(year: year, month: 2, day: 28, hour: 9)))
            #expect(!march.isOpen(at: CivilTime(year: year, month: 3, day: 2, hour: 9)))
        }
    }

    @Test func aClosedDayTakesAwayWhatBeginsOnIt() throws {
        let hours = try hours(["mon-sun 22:00-02:00", "mon-sun 08:00-12:00"], closed: ["2026-11-20", "12-25"])
        #expect(hours.isOpen(at: time(20, 1, 0)), "begun on the 19th")
        #expect(!hours.isOpen(at: time(20, 9, 0)) && !hours.isOpen(at: time(20, 23, 0)))
        #expect(!hours.isOpen(at: time(21, 1, 0)), "begun on the 20th")
        #expect(hours.isOpen(at: time(21, 9, 0)))
        for year in [2026, 2027] {
            #expect(!hours.isOpen(at: CivilTime(year: year, month: 12, day: 25, hour: 9)))
            #expect(hours.isOpen(at: CivilTime(year: year, month: 12, day: 26, hour: 9)))
        }
    }

    @Test func whatABackendConfiguresIsTheSame() throws {
        func schedule(_ from: (UInt32, UInt32), _ to: (UInt32, UInt32)) -> LocalTimeSchedule {
            LocalTimeSchedule(
                dayOfYearStart: 1, dayOfYearEnd: 366, weekdays: [true, true, true, true, true],
                timePeriod: LocalTimeperiod(
                    hoursFrom: from.0, minutesFrom: from.1, hoursTo: to.0, minutesTo: to.1))
        }
        #expect(OfficeHours.Span(schedule((8, 0), (18, 30))) == OfficeHoursLine("mon-fri 08:00-18:30")?.span)
        #expect(OfficeHours.Span(schedule((0, 0), (24, 0))) == OfficeHoursLine("mon-fri 00:00-24:00")?.span)
        for (from, to) in [
            ((24, 0), (1, 0)), ((8, 60), (9, 0)), ((8, 0), (8, 0)), ((8, 0), (24, 1)), ((8, 0), (25, 0)),
        ]
            as [((UInt32, UInt32), (UInt32, UInt32))]
        {
            #expect(OfficeHours.Span(schedule(from, to)) == nil, "\(from) \(to)")
        }
    }

    @Test(arguments: [
        "", "mon-fri", "08:00-18:00", "mon-fri 8:00-18:00", "mon-fri 08:00-18:60", "mon-fri 24:00-08:00",
        "mon-fri 08:00-24:01", "mon-fri 08:00-08:00", "mo-fr 08:00-18:00", "mon-fri 08:00-18:00 0-5",
        "mon-fri 08:00-18:00 1-367", "mon-fri 08:00-18:00 1", "mon-fri 08:00-18:00 1-5 x", "mon-fri 08:00",
        "mon-fri 08:00-12:00-18:00", "mon-fri +8:00-18:00",
    ]) func isNoLine(text: String) {
        #expect(OfficeHoursLine(text) == nil)
    }

    /// A holiday is a day of its own: only periods with `hol` begin on it.
    @Test func onAHolidayOnlyThePeriodsForHolidaysBegin() throws {
        let hours = try hours(["mon-fri 08:00-18:00", "sat,hol 10:00-12:00", "mon-sun 22:00-02:00"])
        // Thursday and Friday.
        let holidays = Holidays([try #require(HolidayLine("Works holiday: 2026-11-20")).holiday])
        #expect(hours.isOpen(at: time(19, 9, 0), holidays) && !hours.isOpen(at: time(20, 9, 0), holidays))
        #expect(hours.isOpen(at: time(20, 10, 0), holidays) && !hours.isOpen(at: time(20, 12, 1), holidays))
        #expect(!hours.isOpen(at: time(19, 10, 0), Holidays()) || hours.isOpen(at: time(19, 10, 0), holidays))
        // The night before goes on into the holiday; the holiday's own night does not begin.
        #expect(hours.isOpen(at: time(20, 2, 0, 59), holidays) && !hours.isOpen(at: time(20, 22, 0), holidays))
        #expect(!hours.isOpen(at: time(21, 1, 0), holidays) && hours.isOpen(at: time(21, 10, 0), holidays))
    }

    /// A closed day has no hours at all.
    @Test func aClosedHolidayHasNoHours() throws {
        let hours = try hours(["mon-sun,hol 08:00-18:00"], closed: ["12-25"])
        let holidays = Holidays([try #require(HolidayLine("12-25..12-26")).holiday])
        #expect(!hours.isOpen(at: time(25, 9, 0, month: 12), holidays))
        #expect(hours.isOpen(at: time(26, 9, 0, month: 12), holidays))
    }

    /// A lost list closes: neither working days nor holidays are known.
    @Test func withALostListThereAreNoHours() throws {
        let always = try hours(["mon-sun,hol 00:00-24:00"])
        #expect(always.isOpen(at: time(20, 9, 0)) && !always.isOpen(at: time(20, 9, 0), .unknown))
        let closed = OfficeHours(spans: always.spans, closedDays: .unknown)
        #expect(!closed.isOpen(at: time(20, 9, 0)))
    }
}

/// The office hours in the reader: by its clock, and only by that.
@Suite struct ReaderOfficeHoursTests {
    /// The bench's clock shows 12:00 UTC on a Saturday at the origin.
    private func bench(_ lines: [String], door: DoorConfiguration = DoorConfiguration()) throws -> ReaderBench {
        let spans = try lines.map { try #require(OfficeHoursLine($0)).span }
        return try ReaderBench(door: door) {
            $0.isAudited = true
            $0.officeHours = OfficeHours(spans: spans)
        }
    }

    @Test func theHoursOpenAndSecureTheDoorToTheSecond() throws {
        var bench = try bench(["sat 12:10-12:20"])
        bench.run(.seconds(599))
        #expect(bench.reader.auditEvents == [])
        bench.run(.seconds(1))
        #expect(bench.reader.auditEvents.map(\.kind) == [.passage])
        bench.run(.seconds(659))
        #expect(bench.reader.auditEvents.map(\.kind) == [.passage])
        bench.run(.seconds(1))
        #expect(bench.reader.auditEvents.map(\.kind) == [.passage, .passageEnded])
        #expect(bench.reader.auditEvents.map(\.time.uptimeMilliseconds) == [600_000, 1_260_000])
        #expect(bench.reader.auditEvents.allSatisfy { $0.channel == .local })
    }

    @Test func withoutAClockThereAreNoHours() throws {
        var bench = try bench(["mon-sun 00:00-24:00"])
        bench.epochSeconds = nil
        bench.run(.seconds(120))
        #expect(bench.reader.auditEvents == [])
        // It is set: the hours are seen within a minute.
        bench.epochSeconds = 1_795_262_400
        bench.run(.seconds(60))
        #expect(bench.reader.auditEvents.map(\.kind) == [.passage])
        bench.epochSeconds = nil
        bench.run(.seconds(60))
        #expect(bench.reader.auditEvents.map(\.kind) == [.passage, .passageEnded])
    }

    /// Local midnight in Berlin, on the days on which the clock is changed: 23 and 25 hours.
    @Test(
        arguments: [
            // 2026-03-29 00:00 to 24:00 and 2026-10-25 00:00 to 24:00, in UTC.
            ("2026-03-29", 1_774_738_800, 23), ("2026-10-25", 1_792_879_200, 25),
        ] as [(String, Int64, Int64)])
    func aHolidayIsALocalDay(date: String, midnight: Int64, hours: Int64) throws {
        let zone = try TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3")
        let always = OfficeHours(spans: [try #require(OfficeHoursLine("mon-sun 00:00-24:00")).span])
        let holidays = Holidays([try #require(HolidayLine(date)).holiday])
        func isOpen(_ epochSeconds: Int64) -> Bool {
            always.isOpen(at: zone.civilTime(at: epochSeconds), holidays)
        }
        let end = midnight + hours * 3600
        // The minute 24:00 of the day before belongs to its own day.
        #expect(isOpen(midnight - 1) && !isOpen(midnight) && !isOpen(end - 1) && isOpen(end))
    }

    @Test func aHolidayKeepsTheDoorShut() throws {
        var bench = try bench(["sat 12:10-12:20", "hol 12:30-12:40"])
        bench.reader.configuration.credentials.holidays = Holidays([try #require(HolidayLine("11-21")).holiday])
        bench.run(.seconds(1799))
        #expect(bench.reader.auditEvents == [])
        bench.run(.seconds(1))
        #expect(bench.reader.auditEvents.map(\.kind) == [.passage])
        #expect(bench.reader.auditEvents.map(\.time.uptimeMilliseconds) == [1_800_000])
    }

    /// The door stays shut if the days that phones or a back end had set cannot be read, until they are known again.
    @Test func lostDaysKeepTheDoorShut() throws {
        for setting in [PushedSetting.closedDays, .holidays] {
            var bench = try bench(["mon-sun,hol 00:00-24:00"])
            let file = bench.reader.configuration
            bench.reader.forgetDays(of: [setting])
            bench.reader.reconfigure(file, door: bench.reader.door.configuration)
            bench.run(.seconds(120))
            #expect(bench.reader.auditEvents == [], "\(setting), also after a reload")
            bench.reader.adopt([setting], of: file, door: bench.reader.door.configuration)
            bench.run(.seconds(60))
            #expect(bench.reader.auditEvents.map(\.kind) == [.passage])
        }
    }

    @Test func theHoursWaitForTheFirstUser() throws {
        var door = DoorConfiguration()
        door.scheduleWaitsForUser = true
        var bench = try bench(["sat 12:00-13:00"], door: door)
        bench.run(.seconds(120))
        #expect(bench.reader.auditEvents == [])
        let link = bench.connect(0, generation: 1)
        _ = try bench.exchange(link, token: ReaderBench.token(.open))
        bench.decide(.phone(1), .ok)
        #expect(bench.reader.auditEvents.map(\.kind) == [.passage])
    }
}
