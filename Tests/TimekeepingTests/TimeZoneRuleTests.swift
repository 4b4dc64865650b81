// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Timekeeping

@Suite struct TimeZoneRuleTests {
    /// A zone, its offset on 2027-01-01, and its changes in 2027 and 2028 as the IANA data has them.
    struct Zone: CustomTestStringConvertible, Sendable {
        var rule: String
        var first: Int64
        var changes: [(Int64, Int64)]
        var testDescription: String { rule }
    }

    static let zones = [
        Zone(
            rule: "CET-1CEST,M3.5.0,M10.5.0/3", first: 3600,
            changes: [(1_806_195_600, 7200), (1_824_944_400, 3600), (1_837_645_200, 7200), (1_856_394_000, 3600)]),
        Zone(
            rule: "EST5EDT,M3.2.0,M11.1.0", first: -18_000,
            changes: [
                (1_805_007_600, -14_400), (1_825_567_200, -18_000), (1_836_457_200, -14_400), (1_857_016_800, -18_000),
            ]),
        // Half an hour of daylight saving.
        Zone(
            rule: "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", first: 39_600,
            changes: [
                (1_806_764_400, 37_800), (1_822_491_000, 39_600), (1_838_214_000, 37_800), (1_853_940_600, 39_600),
            ]),
        // Summer time at the turn of the year.
        Zone(
            rule: "AEST-10AEDT,M10.1.0,M4.1.0/3", first: 39_600,
            changes: [
                (1_806_768_000, 36_000), (1_822_492_800, 39_600), (1_838_217_600, 36_000), (1_853_942_400, 39_600),
            ]),
        // Irish law defines winter time as the exception.
        Zone(
            rule: "IST-1GMT0,M10.5.0,M3.5.0/1", first: 0,
            changes: [(1_806_195_600, 3600), (1_824_944_400, 0), (1_837_645_200, 3600), (1_856_394_000, 0)]),
        // A change on the preceding evening.
        Zone(
            rule: "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", first: -7200,
            changes: [
                (1_806_195_600, -3600), (1_824_944_400, -7200), (1_837_645_200, -3600), (1_856_394_000, -7200),
            ]),
        Zone(
            rule: "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45", first: 49_500,
            changes: [
                (1_806_760_800, 45_900), (1_821_880_800, 49_500), (1_838_210_400, 45_900), (1_853_330_400, 49_500),
            ]),
        // 24 o'clock.
        Zone(
            rule: "EET-2EEST,M4.5.5/0,M10.5.4/24", first: 7200,
            changes: [(1_809_036_000, 10_800), (1_824_757_200, 7200), (1_840_485_600, 10_800), (1_856_206_800, 7200)]),
        Zone(
            rule: "<-04>4<-03>,M9.1.6/24,M4.1.6/24", first: -10_800,
            changes: [
                (1_806_807_600, -14_400), (1_820_116_800, -10_800), (1_838_257_200, -14_400), (1_851_566_400, -10_800),
            ]),
        // Two hours of daylight saving.
        Zone(
            rule: "<+00>0<+02>-2,M3.5.0/1,M10.5.0/3", first: 0,
            changes: [(1_806_195_600, 7200), (1_824_944_400, 0), (1_837_645_200, 7200), (1_856_394_000, 0)]),
        Zone(rule: "IST-5:30", first: 19_800, changes: []),
    ]

    @Test(arguments: zones)
    func changesToTheSecond(zone: Zone) throws {
        let rule = try TimeZoneRule(zone.rule)
        var offset = zone.first
        #expect(rule.offsetSeconds(at: 1_798_761_600) == offset)
        for (instant, next) in zone.changes {
            #expect(rule.offsetSeconds(at: instant - 1) == offset)
            #expect(rule.offsetSeconds(at: instant) == next)
            offset = next
        }
        #expect(rule.offsetSeconds(at: 1_861_833_600) == offset)
    }

    /// 2028 has a 29 February: `J60` is 1 March in each year, `59` the sixtieth day. At 00:00, before the change.
    @Test(arguments: [
        ("AAA0BBB,J60/0,J300/0", Int64(1_803_859_200), Int64(1_835_481_600)),
        ("AAA0BBB,59/0,300/0", 1_803_859_200, 1_835_395_200),
    ])
    func daysByNumber(text: String, in2027: Int64, in2028: Int64) throws {
        let rule = try TimeZoneRule(text)
        for instant in [in2027, in2028] {
            #expect(rule.offsetSeconds(at: instant - 1) == 0)
            #expect(rule.offsetSeconds(at: instant) == 3600)
        }
    }

    /// RFC 8536, 3.3.1: daylight saving all year, as Morocco once had it.
    @Test func daylightSavingAllYear() throws {
        let rule = try TimeZoneRule("XXX3EDT4,0/0,J365/23")
        for epoch in stride(from: Int64(1_798_761_600), to: 1_861_920_000, by: 3600 * 5) {
            #expect(rule.offsetSeconds(at: epoch) == -14_400)
        }
    }

    @Test func localTimeOverTheChange() throws {
        let berlin = try TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3")
        #expect(
            berlin.civilTime(at: 1_806_195_599)
                == CivilTime(year: 2027, month: 3, day: 28, hour: 1, minute: 59, second: 59))
        #expect(berlin.civilTime(at: 1_806_195_600) == CivilTime(year: 2027, month: 3, day: 28, hour: 3))
        #expect(berlin.civilTime(at: 1_824_944_400) == CivilTime(year: 2027, month: 10, day: 31, hour: 2))
        #expect(
            TimeZoneRule(utcOffsetMinutes: 90).civilTime(at: 0)
                == CivilTime(year: 1970, month: 1, day: 1, hour: 1, minute: 30))
        #expect(TimeZoneRule.utc.offsetSeconds(at: 4_102_444_800) == 0)
    }

    @Test(arguments: [
        ("", 0), ("CE", 0), ("CET", 3), ("CET-", 4), ("CET-1CEST", 9), ("CET-1CEST,M3.5.0", 16),
        ("CET-1CEST,M3.5.0,M10.5.0/3x", 26), ("CET-1CEST,M13.5.0,M10.5.0", 11), ("CET-1CEST,M3.6.0,M10.5.0", 13),
        ("CET-1CEST,M3.5.7,M10.5.0", 15), ("CET-1CEST,J0,J300", 11), ("CET-1CEST,J1,J366", 14),
        ("CET-1CEST,1,366", 12), ("CET-25", 4), ("CET-1:60", 6), ("<+03-3", 0), ("<>3", 0), ("C1T-1", 0),
        ("CET-1CEST,M3.5.0/168,M10.5.0", 17), ("CET-1CEST,M3,M10.5.0", 12), ("CET-1 ", 5), ("CET-0001", 7),
    ])
    func whatIsNoRule(text: String, position: Int) {
        #expect(throws: TimeZoneError.notARule(at: position)) { try TimeZoneRule(text) }
    }

    @Test func ruleTooLong() {
        let name = String(repeating: "A", count: 128)
        #expect(throws: TimeZoneError.notARule(at: 128)) { try TimeZoneRule(name + "0") }
    }
}
