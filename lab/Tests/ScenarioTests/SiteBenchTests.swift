// SPDX-License-Identifier: Apache-2.0

import Phone
import Statistics
import Testing
import Timekeeping

@testable import Scenario

/// The bench of a site, and what kinds of phones change at a door.
@Suite struct SiteBenchTests {
    private func preset(_ name: String) throws -> PhonePreset { try #require(PhonePreset.named(name)) }

    @Test func equalSeedsGiveEqualFigures() throws {
        var (one, two) = (
            EdgeBench(preset: try preset("old-android"), interval: .milliseconds(30)),
            EdgeBench(preset: try preset("old-android"), interval: .milliseconds(30))
        )
        for seed in UInt64(1)...3 {
            try one.run(seed: seed)
            try two.run(seed: seed)
        }
        #expect(one == two && one.count == 3 && one.times.count == 3)
        #expect(Set(one.times.sorted).count == 3)
    }

    /// Connection intervals and sleep cost time: an app in front of an open screen is the fastest.
    @Test func theEdgeComesLaterWithALongerInterval() throws {
        func median(_ name: String, _ milliseconds: Int) throws -> Double {
            var bench = EdgeBench(preset: try preset(name), interval: .milliseconds(milliseconds))
            for seed in UInt64(1)...9 { try bench.run(seed: seed) }
            return try #require(bench.times[.median])
        }
        let fast = try median("android-foreground", 15)
        #expect(fast > 0)
        #expect(try median("android-foreground", 50) > fast + 200)
        #expect(try median("iphone-locked", 15) > fast + 500)
    }

    /// Arrivals are spread over the longest interval of a scan, so that no phase of it is preferred.
    @Test func arrivalsAreSpreadEvenly() {
        let tenths = (1...100).map { seed in
            let after = EdgeBench.arrival(UInt64(seed)) - .milliseconds(10_240)
            return Int(after / .milliseconds(1024))
        }
        #expect(tenths.allSatisfy { (0..<10).contains($0) })
        #expect((0..<10).allSatisfy { tenth in (8...12).contains(tenths.count { $0 == tenth }) })
    }

    /// Everybody at the bench of people has the same phone, and more people come than can be served.
    @Test func peopleComeFasterThanTheyAreLetIn() throws {
        let scenario = PeopleBench(links: 3, preset: try preset("iphone-foreground")).scenario
        #expect(scenario.links == 3 && scenario.phones.count == 60)
        #expect(scenario.phones.allSatisfy { $0.preset?.name == "iphone-foreground" && $0.connectsAt == -60 })
        let starts = scenario.phones.compactMap { $0.walk.points.first?.at }
        #expect(zip(starts, starts.dropFirst()).allSatisfy { $1 - $0 == .milliseconds(200) })
    }
}
