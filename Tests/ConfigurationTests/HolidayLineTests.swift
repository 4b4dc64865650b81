// SPDX-License-Identifier: Apache-2.0

import Reader
import Testing
import Timekeeping

@testable import Configuration

/// Holidays as written in a configuration.
@Suite struct HolidayLineTests {
    private func rule(
        _ first: HolidayRule.Day, _ last: HolidayRule.Day? = nil, _ years: ClosedRange<Int> = HolidayRule.allYears
    ) -> HolidayRule? {
        HolidayRule(first, through: last, years: years)
    }

    @Test func eachFormOfADay() {
        let forms: [(String, String, HolidayRule?)] = [
            ("12-25", "12-25", rule(.date(month: 12, day: 25))),
            ("Labour Day: 05-01", "Labour Day", rule(.date(month: 5, day: 1))),
            ("2026-12-24", "2026-12-24", rule(.date(month: 12, day: 24), nil, 2026...2026)),
            ("2028-02-29", "2028-02-29", rule(.date(month: 2, day: 29), nil, 2028...2028)),
            ("easter", "easter", rule(.easter(offset: 0, isOrthodox: false))),
            ("Good Friday: easter-2", "Good Friday", rule(.easter(offset: -2, isOrthodox: false))),
            ("orthodox-easter+50", "orthodox-easter+50", rule(.easter(offset: 50, isOrthodox: true))),
            ("Thanksgiving: 4th thu 11", "Thanksgiving", rule(.weekday(3, week: 4, month: 11))),
            ("last mon 05", "last mon 05", rule(.weekday(0, week: 5, month: 5))),
            ("wed before 11-23", "wed before 11-23", rule(.near(weekday: 2, isBefore: true, month: 11, day: 23))),
            ("sat after 06-19", "sat after 06-19", rule(.near(weekday: 5, isBefore: false, month: 6, day: 19))),
            ("  Fête  nationale :07-14 ", "Fête nationale", rule(.date(month: 7, day: 14))),
        ]
        for (text, name, expected) in forms {
            let line = HolidayLine(text)
            #expect(line?.holiday.name == name && line?.holiday.rule == expected && expected != nil, "\(text)")
            #expect(line?.text == text)
        }
    }

    @Test func rangesAndYears() {
        let works = rule(.date(month: 12, day: 24), .date(month: 1, day: 1), 2027...2030)
        #expect(HolidayLine("Works: 12-24..01-01 from 2027 until 2030")?.holiday.rule == works)
        #expect(HolidayLine("12-24..01-01 from 2027 until 2030")?.holiday.name == "12-24..01-01")
        #expect(HolidayLine("12-24 .. 01-01 until 2030")?.holiday.rule.years == 1583...2030)
        #expect(HolidayLine("easter from 2027")?.holiday.rule.years == 2027...9999)
        let once = rule(.date(month: 12, day: 24), .date(month: 1, day: 6), 2026...2026)
        #expect(HolidayLine("2026-12-24..2027-01-06")?.holiday.rule == once)
        let summer = rule(.date(month: 7, day: 27), .date(month: 8, day: 14), 2026...2026)
        #expect(HolidayLine("2026-07-27..2026-08-14")?.holiday.rule == summer)
        let movable = rule(.easter(offset: -2, isOrthodox: false), .easter(offset: 1, isOrthodox: false))
        #expect(HolidayLine("easter-2..easter+1")?.holiday.rule == movable)
        let mixed = rule(.weekday(0, week: 5, month: 8), .date(month: 9, day: 2))
        #expect(HolidayLine("last mon 08..09-02")?.holiday.rule == mixed)
    }

    @Test(arguments: [
        "", "25", "12-32", "02-30", "2026-02-29", "26-12-24", "2026-12", "12-5", "2026-12-24-1", "a-12", ": 12-25",
        "Name:", "Name", "easters", "easter2", "easter-81", "easter+251", "easter+", "easter+1000", "5th mon 05",
        "4th thu 13", "4th thu 5", "4th thu", "4th day 11", "thu 4th 11", "wed before 2026-11-23", "wed near 11-23",
        "wed before 02-29", "12-24..", "..12-24", "12-24..12-25..12-26", "12-24.12-26", "12-24...12-26", "05-01..05-01",
        "01-01..02-29", "04-10..easter", "easter..easter-2", "easter..xx", "xx..easter", "2026-12-24..01-06",
        "12-24..2027-01-06", "2026-12-24..2026-01-06", "2026-12-24..2028-01-06", "2026-01-02..easter",
        "12-25 until", "12-25 until 26", "12-25 from 2030 until 2027", "12-25 until 2030 from 2027",
        "12-25 from 2027 from 2028", "until 2030", "2026-12-24 until 2030", "12-25 Christmas", "A\u{7F}B: 12-25",
        String(repeating: "n", count: 65) + ": 12-25", "+12-25", "12-+5", "easter+ 1",
    ]) func isNoHoliday(text: String) {
        #expect(HolidayLine(text) == nil)
    }

    @Test func theKeyReachesBothUses() {
        func list(_ path: String, _ values: [String]) -> [SettingsEntry] {
            [SettingsEntry(path: path, value: .array, line: 1, column: 1)]
                + values.enumerated().map {
                    SettingsEntry(path: path, index: $0, value: .string($1), line: $0 + 2, column: 1)
                }
        }
        let decoded = DecodedSettings(
            list("reader.holidays", ["Good Friday: easter-2", "12-25"])
                + list("credentials.groups", ["7 mon-fri,hol 08:00-18:00"])
                + list("door.schedules", ["hol 10:00-12:00"]))
        #expect(decoded.diagnostics == [])
        let policy = decoded.settings.credentialPolicy
        #expect(policy.holidays.list.map(\.name) == ["Good Friday", "12-25"])
        #expect(policy.groups.first?.schedules.first?.weekdays == 0x9F)
        #expect(decoded.settings.door.officeHours.spans.map(\.weekdays) == [0x80])
        let faulty = DecodedSettings(list("reader.holidays", ["Good Friday: easter -2", "12-25", "12-25"]))
        #expect(
            faulty.diagnostics.map(\.description) == [
                "2: reader.holidays: \"Good Friday: easter -2\" \(HolidayLine.problem)",
                "4: reader.holidays: \"12-25\" is listed twice",
            ])
    }

    /// Phones cannot be permitted to set holidays: the configuration that they push has no list of them.
    @Test func phonesSetNoHolidays() {
        func faults(_ key: String) -> [String] {
            DecodedSettings([
                SettingsEntry(path: key, value: .array, line: 1, column: 1),
                SettingsEntry(path: key, index: 0, value: .string("reader.holidays"), line: 1, column: 2),
            ]).diagnostics.map(\.description)
        }
        let fault = faults("reader.phones-may-set").first
        #expect(fault?.hasPrefix("1: reader.phones-may-set: \"reader.holidays\" is unknown") == true)
        #expect(faults("link.may-set").allSatisfy { !$0.contains("is unknown") })
    }
}
