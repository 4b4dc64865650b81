// SPDX-License-Identifier: Apache-2.0

import Fleet
import TestSupport
import Testing
import Timekeeping

/// The times of attempts.
@Suite struct ReconnectionTests {
    private static func time(_ seconds: Int64) -> Instant { .origin + .seconds(seconds) }

    @Test func firstAttemptsOfAFleetAreSpreadUniformly() {
        var tenths = [Int](repeating: 0, count: 10)
        for seed in UInt64(0)..<5000 {
            var (reconnection, random) = (Reconnection(spread: .seconds(40)), SplitMix64(seed: seed))
            reconnection.begin(at: ReconnectionTests.time(0))
            reconnection.connect(at: ReconnectionTests.time(0))
            let next = reconnection.fail(at: ReconnectionTests.time(1000), random: &random)
            let delay = (next - ReconnectionTests.time(1000)).wholeMilliseconds
            tenths[min(9, Int(delay / 4000))] += 1
        }
        #expect(tenths.allSatisfy { (400...600).contains($0) }, "\(tenths)")
    }

    @Test func attemptsAreFiveSecondsApartAndGrowToTenMinutes() {
        var (reconnection, random) = (Reconnection(spread: .zero), SplitMix64(seed: 1))
        var now = ReconnectionTests.time(0)
        var longest = Duration.zero
        for _ in 0..<200 {
            reconnection.begin(at: now)
            let next = reconnection.fail(at: now, random: &random)
            #expect(next - now >= .seconds(5))
            #expect(next - now <= .seconds(600))
            longest = max(longest, next - now)
            now = next
        }
        #expect(longest > .seconds(300))
    }

    @Test func aMinuteOfConnectionResetsThePause() {
        var (reconnection, random) = (Reconnection(spread: .seconds(10)), SplitMix64(seed: 2))
        var now = ReconnectionTests.time(0)
        for _ in 0..<20 {
            reconnection.begin(at: now)
            now = reconnection.fail(at: now, random: &random)
        }
        reconnection.begin(at: now)
        reconnection.connect(at: now)
        now = now + .seconds(60)
        #expect(reconnection.fail(at: now, random: &random) - now <= .seconds(10))
    }

    @Test func threeLossesWithinAMinuteAreContested() {
        var (reconnection, random) = (Reconnection(spread: .zero), SplitMix64(seed: 3))
        for second in [0, 10, 20] as [Int64] {
            #expect(!reconnection.isContested)
            reconnection.begin(at: ReconnectionTests.time(second))
            reconnection.connect(at: ReconnectionTests.time(second))
            _ = reconnection.fail(at: ReconnectionTests.time(second + 1), isOfAnother: true, random: &random)
        }
        #expect(reconnection.isContested)
        reconnection.begin(at: ReconnectionTests.time(30))
        reconnection.connect(at: ReconnectionTests.time(30))
        let next = reconnection.fail(at: ReconnectionTests.time(31), random: &random)
        #expect(next >= ReconnectionTests.time(61))
        reconnection.connect(at: next)
        reconnection.settle(at: next + .seconds(60))
        #expect(!reconnection.isContested)
    }

    /// Losses of a known cause are none of another client, and one that the broker names is at once.
    @Test func onlyLossesWithoutACauseAreCounted() {
        var (reconnection, random) = (Reconnection(spread: .zero), SplitMix64(seed: 3))
        for second in [0, 10, 20, 30] as [Int64] {
            reconnection.connect(at: ReconnectionTests.time(second))
            _ = reconnection.fail(at: ReconnectionTests.time(second + 1), random: &random)
        }
        #expect(!reconnection.isContested)
        reconnection.connect(at: ReconnectionTests.time(40))
        _ = reconnection.fail(at: ReconnectionTests.time(41), isTakenOver: true, random: &random)
        #expect(reconnection.isContested)
    }

    /// Attempts that never led to a connection are none of another client.
    @Test func refusedAttemptsAreNotContested() {
        var (reconnection, random) = (Reconnection(spread: .zero), SplitMix64(seed: 4))
        for second in [0, 6, 12, 18] as [Int64] {
            reconnection.begin(at: ReconnectionTests.time(second))
            _ = reconnection.fail(at: ReconnectionTests.time(second), isOfAnother: true, random: &random)
        }
        #expect(!reconnection.isContested)
    }
}
