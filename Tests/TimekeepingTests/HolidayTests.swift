// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Timekeeping

/// The days of holidays, by literal dates. `Tests/Interop/unit/test_holidays.py` compares whole lists to the year 2040
/// with an implementation of its own.
@Suite struct HolidayRuleTests {
    private func date(_ text: String) throws -> CivilTime {
        try #require(LocalMinute.parse(text[...], ofDay: .first), "\(text)")
    }

    private func rule(
        _ first: HolidayRule.Day, _ last: HolidayRule.Day? = nil, years: ClosedRange<Int> = HolidayRule.allYears
    ) throws -> HolidayRule {
        try #require(HolidayRule(first, through: last, years: years))
    }

    static let western = [
        "1818-03-22", "1943-04-25", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2028-04-16", "2029-04-01",
        "2030-04-21", "2031-04-13", "2032-03-28", "2033-04-17", "2034-04-09", "2035-03-25", "2036-04-13", "2037-04-05",
        "2038-04-25", "2039-04-10", "2040-04-01", "2285-03-22",
    ]
    static let orthodox = [
        "2024-05-05", "2025-04-20", "2026-04-12", "2027-05-02", "2028-04-16", "2029-04-08", "2030-04-28", "2031-04-13",
        "2032-05-02", "2033-04-24", "2034-04-09", "2035-04-29", "2036-04-20", "2037-04-05", "2038-04-25", "2039-04-17",
        "2040-05-06", "2099-04-12",
    ]

    @Test(arguments: western) func westernEaster(day: String) throws {
        let day = try date(day)
        #expect(Easter.western(day.year) == day)
        #expect(try rule(.easter(offset: 0, isOrthodox: false)).covers(day))
    }

    @Test(arguments: orthodox) func orthodoxEaster(day: String) throws {
        let day = try date(day)
        #expect(Easter.orthodox(day.year) == day)
        #expect(try rule(.easter(offset: 0, isOrthodox: true)).covers(day))
    }

    /// Good Friday, Ascension, Whit Monday and Corpus Christi of 2026, and no day next to them.
    @Test(arguments: [(-2, "2026-04-03"), (39, "2026-05-14"), (50, "2026-05-25"), (60, "2026-06-04")])
    func daysFromEaster(offset: Int, day: String) throws {
        let (rule, day) = (try rule(.easter(offset: offset, isOrthodox: false)), try date(day))
        #expect(rule.days(in: 2026) == day.dayNumber...day.dayNumber)
        #expect(rule.covers(day) && !rule.covers(CivilTime(dayNumber: day.dayNumber + 1)))
        #expect(!rule.covers(CivilTime(dayNumber: day.dayNumber - 1)))
    }

    /// Thanksgiving, Memorial Day, Columbus Day, the last Monday of a February with five; 0 is Monday.
    @Test(
        arguments: [
            (3, 4, 11, "2026-11-26"), (3, 4, 11, "2029-11-22"), (0, 5, 5, "2026-05-25"), (0, 5, 5, "2027-05-31"),
            (0, 2, 10, "2026-10-12"), (0, 5, 2, "2044-02-29"), (6, 1, 3, "2026-03-01"), (5, 1, 8, "2026-08-01"),
        ] as [(Int, Int, Int, String)])
    func weekdaysOfAMonth(weekday: Int, week: Int, month: Int, day: String) throws {
        let day = try date(day)
        let rule = try rule(.weekday(weekday, week: week, month: month))
        #expect(rule.days(in: day.year) == day.dayNumber...day.dayNumber && rule.covers(day))
    }

    /// Buß- und Bettag, Victoria Day, Midsummer: never the date itself, also over the new year.
    @Test(
        arguments: [
            (2, true, 11, 23, "2026-11-18"), (2, true, 11, 23, "2033-11-16"), (0, true, 5, 25, "2026-05-18"),
            (5, false, 6, 19, "2026-06-20"), (5, false, 6, 19, "2027-06-26"),
        ] as [(Int, Bool, Int, Int, String)])
    func weekdaysNextToADate(weekday: Int, isBefore: Bool, month: Int, number: Int, day: String) throws {
        let day = try date(day)
        let rule = try rule(.near(weekday: weekday, isBefore: isBefore, month: month, day: number))
        #expect(rule.days(in: day.year) == day.dayNumber...day.dayNumber && rule.covers(day))
    }

    @Test func aWeekdayNextToADateMayLieInAnotherYear() throws {
        let before = try rule(.near(weekday: 0, isBefore: true, month: 1, day: 3))
        #expect(try before.covers(date("2028-12-25")) == false && before.covers(date("2027-12-27")))
        let after = try rule(.near(weekday: 4, isBefore: false, month: 12, day: 30))
        #expect(try after.covers(date("2027-12-31")) && after.covers(date("2027-01-01")))
    }

    @Test func aRangeGoesOverTheNewYear() throws {
        let rule = try rule(.date(month: 12, day: 24), .date(month: 1, day: 1), years: 2026...2027)
        for day in ["2026-12-24", "2026-12-31", "2027-01-01", "2027-12-24", "2028-01-01"] {
            #expect(try rule.covers(date(day)), "\(day)")
        }
        for day in ["2026-01-01", "2026-12-23", "2027-01-02", "2028-01-02", "2028-12-24"] {
            #expect(try !rule.covers(date(day)), "\(day)")
        }
    }

    @Test func aRangeOfMovableDays() throws {
        let rule = try rule(.easter(offset: -2, isOrthodox: false), .easter(offset: 1, isOrthodox: false))
        let covered = try ["2026-04-02", "2026-04-03", "2026-04-06", "2026-04-07"].map { rule.covers(try date($0)) }
        #expect(covered == [false, true, true, false])
    }

    @Test func theLeapDayIsNoDayOfOtherYears() throws {
        let rule = try rule(.date(month: 2, day: 29))
        #expect(try rule.covers(date("2028-02-29")) && rule.days(in: 2027) == nil)
        #expect(try !rule.covers(date("2027-02-28")) && !rule.covers(date("2027-03-01")))
    }

    @Test func yearsBoundTheRule() throws {
        let rule = try rule(.date(month: 5, day: 1), years: 2027...2030)
        #expect(
            try ["2026", "2027", "2030", "2031"].map { rule.covers(try date("\($0)-05-01")) } == [
                false, true, true, false,
            ])
    }

    @Test func whatIsNoRule() {
        #expect(HolidayRule(.date(month: 2, day: 30)) == nil && HolidayRule(.date(month: 13, day: 1)) == nil)
        #expect(HolidayRule(.easter(offset: -81, isOrthodox: false)) == nil)
        #expect(HolidayRule(.easter(offset: 251, isOrthodox: true)) == nil)
        #expect(HolidayRule(.weekday(7, week: 1, month: 1)) == nil)
        #expect(HolidayRule(.weekday(0, week: 6, month: 1)) == nil)
        #expect(HolidayRule(.near(weekday: 0, isBefore: true, month: 2, day: 29)) == nil)
        // A range that ends before it begins, in any year, or on a day that not every year has.
        let easter = HolidayRule.Day.easter(offset: 0, isOrthodox: false)
        #expect(HolidayRule(.date(month: 4, day: 10), through: easter) == nil)
        #expect(HolidayRule(easter, through: easter) == nil)
        #expect(HolidayRule(.date(month: 1, day: 1), through: .date(month: 2, day: 29)) == nil)
        #expect(HolidayRule(.date(month: 1, day: 1), years: 1500...2000) == nil)
    }
}

@Suite struct HolidaysTests {
    @Test func aHolidayIsADayOfItsOwn() throws {
        let list = Holidays([Holiday("Labour Day", try #require(HolidayRule(.date(month: 5, day: 1))))])
        // A Friday.
        let (day, other) = (CivilTime(year: 2026, month: 5, day: 1), CivilTime(year: 2026, month: 5, day: 8))
        #expect(list.first(on: day)?.name == "Labour Day" && list.first(on: other) == nil)
        for (mask, onHoliday, onFriday) in [
            (0x7F, false, true), (0x80, true, false), (0x90, true, true), (0x0F, false, false),
        ] as [(UInt8, Bool, Bool)] {
            #expect(list.permit(mask, on: day, weekday: 4) == onHoliday, "\(mask)")
            #expect(list.permit(mask, on: other, weekday: 4) == onFriday, "\(mask)")
            #expect(!Holidays.unknown.permit(mask, on: other, weekday: 4))
        }
        #expect(Holidays.unknown.covers(other) && Holidays.unknown.first(on: other) == nil)
    }

    @Test func theDaysOfAYearInOrder() throws {
        let list = Holidays([
            Holiday(
                "Works", try #require(HolidayRule(.date(month: 12, day: 31), through: .date(month: 1, day: 2)))),
            Holiday("Easter", try #require(HolidayRule(.easter(offset: 0, isOrthodox: false)))),
        ])
        #expect(
            list.days(of: 2026).map { "\(LocalMinute.text($0.day).prefix(10)) \($0.name)" } == [
                "2026-01-01 Works", "2026-01-02 Works", "2026-04-05 Easter", "2026-12-31 Works",
            ])
    }
}
