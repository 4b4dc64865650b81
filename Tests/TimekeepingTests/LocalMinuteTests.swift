// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@Suite("Local times to the minute")
struct LocalMinuteTests {
    @Test func asPeopleWriteThem() {
        #expect(LocalMinute.parse("2026-12-31") == CivilTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59))
        #expect(LocalMinute.parse("2026-02-28T07:05") == CivilTime(year: 2026, month: 2, day: 28, hour: 7, minute: 5))
        for text in [
            "", "2026", "2026-1-1", "2026-02-30", "2026-12-31T", "2026-12-31T24:00", "2026-12-31T1:00",
            "2026-12-31T10:00:00", "+026-12-31", "2026-12-31 10:00", "2026-12--1",
        ] {
            #expect(LocalMinute.parse(text[...]) == nil, "\(text)")
        }
        #expect(LocalMinute.parse("2026-12-31", ofDay: .first) == CivilTime(year: 2026, month: 12, day: 31))
        let time = CivilTime(year: 2026, month: 1, day: 2, hour: 3, minute: 4)
        #expect(LocalMinute.text(time) == "2026-01-02T03:04")
    }
}
