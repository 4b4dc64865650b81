// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@Suite struct InstantTests {
    @Test func arithmeticHoldsAtTheEndsOfTime() {
        let instant = Instant(nanoseconds: 5)
        #expect(instant + .nanoseconds(7) == Instant(nanoseconds: 12))
        #expect(Instant(nanoseconds: .max) + .seconds(1) == Instant(nanoseconds: .max))
        #expect(Instant(nanoseconds: .min) + .seconds(-1) == Instant(nanoseconds: .min))
        #expect(Instant(nanoseconds: 12) - instant == .nanoseconds(7))
        #expect(instant - Instant(nanoseconds: 12) == .nanoseconds(-7))
        #expect((Instant(nanoseconds: .max) - Instant(nanoseconds: .min)).wholeNanoseconds == .max)
    }

    @Test func theEarlierOfTwoThatMayBeMissing() {
        let (first, second) = (Instant(nanoseconds: 5), Instant(nanoseconds: 7))
        #expect(Instant.earlier(first, second) == first && Instant.earlier(second, first) == first)
        #expect(Instant.earlier(nil, second) == second && Instant.earlier(first, nil) == first)
        #expect(Instant.earlier(nil, nil) == nil)
    }

    static let milliseconds: [(Duration, Int64)] = [
        (.milliseconds(-1500), -1500), (.microseconds(1999), 1), (.seconds(3), 3000), (.zero, 0),
    ]

    @Test(arguments: milliseconds)
    func wholeMilliseconds(duration: Duration, expected: Int64) {
        #expect(duration.wholeMilliseconds == expected)
    }

    @Test func longDurationsAreHeldWithinWhatFits() {
        #expect(Duration.seconds(Int64.max).wholeNanoseconds == .max)
        #expect(Duration.seconds(Int64.min).wholeNanoseconds == .min)
    }
}

@Suite struct CivilTimeTests {
    static let samples: [(Int64, CivilTime)] = [
        (0, CivilTime(year: 1970, month: 1, day: 1)),
        (951_782_400, CivilTime(year: 2000, month: 2, day: 29)),
        (1_717_608_602, CivilTime(year: 2024, month: 6, day: 5, hour: 17, minute: 30, second: 2)),
        (-1, CivilTime(year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 59)),
        (4_107_542_399, CivilTime(year: 2100, month: 2, day: 28, hour: 23, minute: 59, second: 59)),
        (4_107_542_400, CivilTime(year: 2100, month: 3, day: 1)),
    ]

    @Test(arguments: samples)
    func epoch(seconds: Int64, civil: CivilTime) {
        #expect(CivilTime(epochSeconds: seconds) == civil)
        #expect(civil.epochSeconds == seconds)
    }

    @Test func everyDayOfFourCenturiesComesBack() {
        var day = CivilTime(year: 1999, month: 12, day: 31).epochSeconds
        var last = CivilTime(epochSeconds: day)
        for _ in 0..<146_097 {
            day += 86_400
            let next = CivilTime(epochSeconds: day)
            #expect(next.isValid && last < next && next.epochSeconds == day)
            last = next
        }
    }

    @Test func theOffsetMovesTheClock() {
        #expect(
            CivilTime(epochSeconds: 0, utcOffsetMinutes: -90)
                == CivilTime(year: 1969, month: 12, day: 31, hour: 22, minute: 30))
    }

    @Test(arguments: [
        CivilTime(year: 2023, month: 2, day: 29), CivilTime(year: 2024, month: 13, day: 1),
        CivilTime(year: 2024, month: 4, day: 31), CivilTime(year: 2024, month: 1, day: 0),
        CivilTime(year: 2024, month: 1, day: 1, hour: 24), CivilTime(year: 2024, month: 1, day: 1, minute: 60),
        CivilTime(year: 2024, month: 1, day: 1, second: 60), CivilTime(year: 2024, month: 0, day: 1),
    ])
    func impossibleTimesAreInvalid(time: CivilTime) {
        #expect(!time.isValid)
    }
}
