// SPDX-License-Identifier: Apache-2.0

import CBOR
import Contactless
@testable import Credentials
import Testing
import Timekeeping

/// The recurrences of schedules, against the results of an independent implementation of RFC 5545.
@Suite struct AliroRecurrenceTests {
    private typealias Rule = (start: String, pattern: Int, mask: Int, interval: Int, ordinal: Int, days: String)

    /// The day of the start, the rule, and its first five days until the year 2105; the last are pseudo-random.
    private static let rules: [Rule] = [
        ("2024-02-27", 1, 0x0, 1, 0, "2024-02-27 2024-02-28 2024-02-29 2024-03-01 2024-03-02"),
        ("2023-12-30", 1, 0x0, 3, 0, "2023-12-30 2024-01-02 2024-01-05 2024-01-08 2024-01-11"),
        ("2024-12-27", 2, 0x41, 2, 0, "2024-12-29 2025-01-06 2025-01-12 2025-01-20 2025-01-26"),
        ("2024-01-01", 3, 0x1, 1, 1, "2024-01-01 2024-02-05 2024-03-04 2024-04-01 2024-05-06"),
        ("2024-01-02", 3, 0x1, 1, 1, "2024-02-05 2024-03-04 2024-04-01 2024-05-06 2024-06-03"),
        ("2024-01-01", 3, 0x10, 1, 5, "2024-03-29 2024-05-31 2024-08-30 2024-11-29 2025-01-31"),
        ("2024-01-01", 3, 0x40, 3, -1, "2024-01-28 2024-04-28 2024-07-28 2024-10-27 2025-01-26"),
        ("2023-11-30", 3, 0x8, 2, -5, "2024-05-02 2025-01-02 2025-05-01 2025-07-03 2026-01-01"),
        ("2024-01-31", 4, 0x40000000, 1, 0, "2024-01-31 2024-03-31 2024-05-31 2024-07-31 2024-08-31"),
        ("2024-01-15", 4, 0x10004001, 1, 0, "2024-01-15 2024-01-29 2024-02-01 2024-02-15 2024-02-29"),
        ("2024-01-01", 4, 0x0, 1, -1, "2024-01-31 2024-02-29 2024-03-31 2024-04-30 2024-05-31"),
        ("2023-01-01", 4, 0x0, 2, 29, "2023-01-29 2023-03-29 2023-05-29 2023-07-29 2023-09-29"),
        ("2023-01-01", 4, 0x0, 1, -29, "2023-01-03 2023-03-03 2023-04-02 2023-05-03 2023-06-02"),
        ("2024-01-01", 4, 0x0, 1, -31, "2024-01-01 2024-03-01 2024-05-01 2024-07-01 2024-08-01"),
        ("2026-01-01", 4, 0x10, 1, 13, "2026-02-13 2026-03-13 2026-11-13 2027-08-13 2028-10-13"),
        ("2024-01-01", 4, 0x1f, 5, -1, "2024-01-31 2025-04-30 2025-09-30 2026-07-31 2026-12-31"),
        ("2024-01-01", 5, 0x240, 1, -1, "2024-03-31 2025-03-30 2026-03-29 2027-03-28 2028-03-26"),
        ("2024-01-01", 5, 0x108, 1, 5, "2024-02-29 2052-02-29 2080-02-29"),
        ("2024-06-01", 5, 0x20088, 2, 4, "2024-11-28 2026-01-22 2026-11-26 2028-01-27 2028-11-23"),
        ("2023-01-01", 6, 0x100, 1, 29, "2024-02-29 2028-02-29 2032-02-29 2036-02-29 2040-02-29"),
        ("2024-03-01", 6, 0x100, 1, 29, "2028-02-29 2032-02-29 2036-02-29 2040-02-29 2044-02-29"),
        ("2024-01-01", 6, 0x100, 1, -1, "2024-02-29 2025-02-28 2026-02-28 2027-02-28 2028-02-29"),
        ("2024-01-01", 6, 0x780, 3, 31, "2024-01-31 2024-03-31 2027-01-31 2027-03-31 2030-01-31"),
        ("2024-01-01", 6, 0x10060, 1, 31, "2026-10-31 2027-10-31 2032-10-31 2037-10-31 2038-10-31"),
        ("2095-01-01", 6, 0x100, 1, 29, "2096-02-29 2104-02-29"),
        ("2024-01-01", 7, 0x1, 1, 1, "2024-01-01 2024-12-30 2025-12-29 2027-01-04 2028-01-03"),
        ("2020-01-01", 7, 0x7f, 1, 53, "2020-12-28 2020-12-29 2020-12-30 2020-12-31 2021-01-01"),
        ("2020-12-30", 7, 0x14, 1, -1, "2020-12-30 2021-01-01 2021-12-29 2021-12-31 2022-12-28"),
        ("2024-01-01", 7, 0x40, 1, 1, "2024-01-07 2025-01-05 2026-01-04 2027-01-10 2028-01-09"),
        ("2024-01-01", 7, 0x8, 1, -53, "2026-01-01 2032-01-01 2037-01-01 2043-01-01 2048-01-02"),
        ("2025-06-15", 7, 0x20, 1, 24, "2026-06-13 2027-06-19 2028-06-17 2029-06-16 2030-06-15"),
        ("2019-07-05", 4, 0x7840009, 2, 0, "2019-07-19 2019-07-24 2019-07-25 2019-07-26 2019-07-27"),
        ("2009-07-21", 7, 0x9, 1, 2, "2010-01-11 2010-01-14 2011-01-10 2011-01-13 2012-01-09"),
        ("2027-10-07", 6, 0x4400, 4, -31, "2031-08-01 2035-08-01 2039-08-01 2043-08-01 2047-08-01"),
        ("2029-07-16", 5, 0x20120, 4, 1, "2029-11-03 2033-02-05 2033-11-05 2037-02-07 2037-11-07"),
        ("2000-07-20", 3, 0x1, 4, -4, "2000-11-06 2001-03-05 2001-07-09 2001-11-05 2002-03-04"),
        ("2011-12-03", 5, 0x8420, 4, 4, "2015-04-25 2015-09-26 2019-04-27 2019-09-28 2023-04-22"),
        ("2034-02-18", 4, 0x6816b8b7, 1, 0, "2034-02-18 2034-02-19 2034-02-21 2034-02-28 2034-03-01"),
        ("2025-12-19", 7, 0x18, 1, -2, "2025-12-19 2026-12-24 2026-12-25 2027-12-23 2027-12-24"),
        ("2004-03-25", 6, 0x41000, 1, 31, "2004-12-31 2005-12-31 2006-12-31 2007-12-31 2008-12-31"),
        ("2037-08-17", 5, 0x1204, 2, 4, "2039-03-23 2039-06-22 2041-03-27 2041-06-26 2043-03-25"),
        ("2028-11-03", 5, 0x484, 2, 1, "2030-01-02 2030-04-03 2032-01-07 2032-04-07 2034-01-04"),
        ("2010-05-02", 5, 0x2804, 4, 3, "2010-05-19 2010-07-21 2014-05-21 2014-07-16 2018-05-16"),
    ]

    private func time(_ text: Substring) throws -> Int64 { try #require(ZonedTime.epochSeconds(text)) }

    private func schedule(
        from start: Substring, until end: Substring? = nil, isUTC: Bool = true, _ fields: [Int]
    ) throws -> AliroSchedule {
        var members: [(EncodedItem, EncodedItem)] = [(0, .integer(Int(try time(start))))]
        if let end { members.append((1, .integer(Int(try time(end))))) }
        members.append((2, .array(fields.map { .integer($0) })))
        members.append((3, .integer(isUTC ? 1 : 0)))
        let octets = EncodedItem.map(members).encoding
        return try AliroSchedule(try CBORNode(decoding: octets.span))
    }

    /// The results of a schedule at times in `zone`.
    private func results(
        _ schedule: AliroSchedule, _ times: [Substring], in zone: TimeZoneRule = .utc
    ) throws -> [Bool] {
        try times.map { schedule.isRunning(at: try time($0), in: zone) }
    }

    @Test("Days of patterns 1 to 7: leap years, ends of months, weeks across a year, intervals, negative ordinals")
    func days() throws {
        let last = try time("2105-12-31T08:30Z")
        for rule in Self.rules {
            let start = "\(rule.start)T08:30Z"
            let schedule = try schedule(
                from: start[...], [3600, rule.mask, rule.pattern, rule.interval, rule.ordinal])
            var days: [String] = []
            var now = try time(start[...])
            #expect(!schedule.isRunning(at: now - 1, in: .utc))
            while days.count < 5, now <= last {
                if schedule.isRunning(at: now, in: .utc) {
                    days.append(String(LocalMinute.text(CivilTime(epochSeconds: now)).prefix(10)))
                    #expect(schedule.isRunning(at: now + 3599, in: .utc))
                    #expect(!schedule.isRunning(at: now + 3600, in: .utc) && !schedule.isRunning(at: now - 1, in: .utc))
                }
                now += 86_400
            }
            #expect(days.joined(separator: " ") == rule.days, "\(rule)")
        }
    }

    @Test("An occurrence over midnight and the end of the month; the schedule's end cuts it off")
    func longOccurrence() throws {
        // The last day of each month, 22:00 for 30 hours.
        let rule = try schedule(from: "2024-02-01T22:00Z", until: "2024-03-31T23:00Z", [108_000, 0, 4, 1, -1])
        let times: [Substring] = [
            "2024-02-29T21:59:59Z", "2024-02-29T22:00:00Z", "2024-03-02T03:59:59Z", "2024-03-02T04:00:00Z",
            "2024-03-31T23:00:00Z", "2024-03-31T23:00:01Z",
        ]
        #expect(try results(rule, times) == [false, true, true, false, true, false])
    }

    @Test("Occurrences that overlap: the earlier one does not end the later")
    func overlap() throws {
        // The first and the second of each month, for 31 days; the first occurrence before the start does not count.
        let rule = try schedule(from: "2025-01-02T00:00Z", [2_678_400, 3, 4, 1, 0])
        let times: [Substring] = [
            "2025-01-01T12:00Z", "2025-01-02T00:00Z", "2025-01-31T23:00Z", "2025-02-15T00:00Z", "2025-03-31T00:00Z",
        ]
        #expect(try results(rule, times) == [false, true, true, true, true])
    }

    @Test("Local time: the date is the wall's, and the changes of daylight saving time")
    func localTime() throws {
        let berlin = try TimeZoneRule("CET-1CEST,M3.5.0,M10.5.0/3")
        // The last Sunday of each month, 02:30 on the wall, for an hour.
        let rule = try schedule(from: "2026-01-01T02:30Z", isUTC: false, [3600, 0x40, 3, 1, -1])
        let spring: [Substring] = [
            "2026-03-29T00:59:59Z", "2026-03-29T01:00:00Z", "2026-03-29T01:29:59Z", "2026-03-29T01:30:00Z",
        ]
        #expect(try results(rule, spring, in: berlin) == [false, true, true, false])
        let autumn: [Substring] = [
            "2026-10-25T00:29:59Z", "2026-10-25T00:30:00Z", "2026-10-25T01:00:00Z", "2026-10-25T01:30:00Z",
            "2026-10-25T02:29:59Z", "2026-10-25T02:30:00Z",
        ]
        #expect(try results(rule, autumn, in: berlin) == [false, true, false, true, true, false])
        // The first of each month, from midnight on the wall for an hour.
        let first = try schedule(from: "2026-01-01T00:00Z", isUTC: false, [3600, 1, 4, 1, 0])
        let midnights: [Substring] = [
            "2026-01-31T22:59:59Z", "2026-01-31T23:00:00Z", "2026-02-01T00:00:00Z", "2026-06-30T22:00:00Z",
            "2026-06-30T23:00:00Z",
        ]
        #expect(try results(first, midnights, in: berlin) == [false, true, false, true, false])
    }

    @Test(
        "Meanings that are open are refused, for allow and deny alike",
        arguments: [
            // The week of a month; several weekdays with an ordinal; no weekday, month or date.
            [60, 0x81, 8, 1, 1], [60, 3, 3, 1, 1], [60, 0x83, 5, 1, -1], [60, 0, 2, 1, 0], [60, 0, 3, 1, 1],
            [60, 0x80, 5, 1, 1], [60, 1, 5, 1, 1], [60, 0, 4, 1, 0], [60, 1, 6, 1, 1], [60, 0, 7, 1, 1],
            // Weeks of months, and of every second year; longer than a year.
            [60, 0x81, 7, 1, 1], [60, 1, 7, 2, 1], [31_622_401, 1, 4, 1, 0],
        ])
    func openMeanings(_ fields: [Int]) throws {
        #expect(throws: AliroDocumentFault.noRight) { try schedule(from: "2026-01-01T00:00Z", fields) }
    }

    @Test(
        "Values that no pattern has",
        arguments: [
            [0, 0, 1, 1, 0], [60, 0, 1, 0, 0], [60, 0, 1, 256, 0], [60, 0, 0, 1, 0], [60, 0, 9, 1, 0],
            [60, 1, 1, 1, 0], [60, 0, 1, 1, 1], [60, 0x80, 2, 1, 0], [60, 1, 2, 1, 1], [60, 1, 3, 1, 0],
            [60, 1, 3, 1, 6], [60, 1, 3, 1, -6], [60, 0x81, 3, 1, 1], [60, 0x8000_0000, 4, 1, 0], [60, 0x80, 4, 1, 1],
            [60, 1, 4, 1, 32], [60, 1, 4, 1, -32], [60, 0x81, 5, 1, 0], [60, 0x81, 6, 1, 0], [60, 0x81, 6, 1, 32],
            [60, 0x80_0081, 6, 1, 1], [60, 1, 7, 1, 0], [60, 1, 7, 1, 54], [60, 1, 7, 1, -54], [60, 1, 4, 1],
            [60, 1, 4, 1, 0, 0], [4_294_967_296, 1, 4, 1, 0],
        ])
    func unknownValues(_ fields: [Int]) throws {
        #expect(throws: AliroDocumentFault.format) { try schedule(from: "2026-01-01T00:00Z", fields) }
    }
}
