// SPDX-License-Identifier: Apache-2.0

import Proximity
import Reader
import Testing
import Timekeeping
import VirtualRadio

@testable import Scenario

/// Runs of scenarios: the library, repetition, and the rules that every run keeps.
@Suite struct ScenarioRunTests {
    private static let names = ScenarioLibrary.all.map(\.name)

    private func scenario(_ name: String) throws -> SiteScenario {
        try SiteScenario(json: Array(try #require(ScenarioLibrary.entry(name)).json.utf8))
    }

    @Test(arguments: names)
    func theLibraryEndsAsItExpects(_ name: String) throws {
        let scenario = try scenario(name)
        #expect(!scenario.about.isEmpty)
        for seed in UInt64(1)...2 {
            let run = try SiteRun(scenario, seed: seed)
            #expect(run.failures == [], "seed \(seed)")
            for phone in run.phones { #expect(phone.isAsExpected, "seed \(seed): \(phone)") }
        }
    }

    /// Every order, and so every fault, is carried out by a scenario of the library before its end.
    @Test func everyOrderIsReached() throws {
        var reached: Set<String> = []
        for name in ScenarioRunTests.names {
            let scenario = try scenario(name)
            for event in scenario.events where event.after < scenario.end {
                reached.insert(event.order.line.split(separator: " ").prefix(1).joined())
            }
        }
        let all = Set(SiteOrder.help.map { $0.split(separator: " ").prefix(1).joined() })
        #expect(reached == all)
    }

    @Test func equalSeedsGiveEqualRuns() throws {
        let scenario = try scenario("pocket")
        let (one, two) = (try SiteRun(scenario, seed: 5), try SiteRun(scenario, seed: 5))
        #expect(one.timeline == two.timeline && one.fingerprint == two.fingerprint)
        let other = try SiteRun(scenario, seed: 6)
        #expect(other.fingerprint != one.fingerprint)
    }

    /// A capture is the same to the octet for equal seeds, and changes nothing in the run.
    @Test func equalSeedsGiveEqualCaptures() throws {
        let scenario = try scenario("two-at-once")
        let empty = AirCapture(comment: "two-at-once, seed 5", application: "test", epochAtOrigin: 0)
        let runs = try (0..<2).map { _ in try SiteRun(scenario, seed: 5, capture: empty) }
        #expect(runs[0].captured == runs[1].captured && runs[0].captured.count > 10_000)
        let plain = try SiteRun(scenario, seed: 5)
        #expect(plain.fingerprint == runs[0].fingerprint && plain.captured.isEmpty)
        #expect(try SiteRun(scenario, seed: 6, capture: empty).captured != runs[0].captured)
    }

    /// A phone with raised power ten metres away opens by RSSI alone, and not with a limit of the path loss; with it, a
    /// near phone opens if it tells its power, and is refused if it does not.
    @Test func pathLossTellsARaisedPowerFromAShortDistance() throws {
        let scenario = try scenario("path-loss")
        for seed in UInt64(1)...20 {
            let run = try SiteRun(scenario, seed: seed)
            #expect(run.isAsExpected, "seed \(seed): \(run.failures) \(run.phones)")
        }
        var alone = scenario
        alone.gate.maximumPathLoss = nil
        alone.openings = nil
        alone.told = []
        for index in alone.phones.indices { alone.phones[index].expected.results = [.opened] }
        #expect(try SiteRun(alone, seed: 1).isAsExpected)
        // A controller that cannot tell lets nobody in.
        var blind = scenario
        blind.controller.powerControl = false
        blind.openings = 0
        blind.told = ["the controller cannot read the transmit power of phones"]
        for index in blind.phones.indices {
            (blind.phones[index].expected.results, blind.phones[index].expected.within) = ([.refused], nil)
        }
        #expect(try SiteRun(blind, seed: 1).isAsExpected)
    }

    @Test func anExpectationThatDoesNotHoldIsTold() throws {
        var scenario = try scenario("two-at-once")
        scenario.openings = 2
        scenario.told = ["alarm: door forced"]
        scenario.phones[0].expected.results = [.denied]
        scenario.phones[1].expected.within = .milliseconds(1)
        let run = try SiteRun(scenario, seed: 1)
        #expect(
            run.failures == [
                "the lock was released 1 times, and 2 were expected", "never told: \"alarm: door forced\"",
            ])
        #expect(run.phones.map(\.isAsExpected) == [false, false] && !run.isAsExpected)
    }

    private func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    /// A door that opens by itself, twice for one grant, or long after an order.
    @Test func theRuleOfTheLockCanBeBroken() {
        let second = at(1000)
        #expect(LockRule.broken(rises: [second], grants: [second], orders: []) == [])
        #expect(LockRule.broken(rises: [at(1100)], grants: [], orders: [second]) == [])
        for (rises, grants, orders) in [
            ([second], [], []), ([second], [at(999)], []), ([second, second], [second], []),
            ([at(1501)], [], [second]), ([at(999)], [], [second]), ([second, at(1200)], [], [second]),
        ] {
            #expect(LockRule.broken(rises: rises, grants: grants, orders: orders).count == 1)
        }
    }

    /// A lock that stays released: without a cause, beyond a pulse, between two.
    @Test func aLockThatStaysReleasedIsTold() {
        let pulse = at(1000)..<at(6000)
        #expect(LockRule.overstayed(released: [pulse], causes: [pulse]) == [])
        #expect(LockRule.overstayed(released: [at(1000)..<at(9000)], causes: [pulse, at(4000)..<at(9000)]) == [])
        #expect(
            LockRule.overstayed(released: [at(1000)..<at(7000)], causes: [pulse]) == [
                "the lock was released until 7.0 s, and no cause lasted beyond 6.5 s"
            ])
        for (released, causes) in [
            (pulse, []), (at(500)..<at(6000), [pulse]), (at(1000)..<at(9000), [pulse, at(7000)..<at(9000)]),
        ] {
            #expect(LockRule.overstayed(released: [released], causes: causes).count == 1)
        }
    }

    /// A relay is expected to pass, and its scenario says so.
    @Test func theRelayIsToldAsPassing() throws {
        let run = try SiteRun(try scenario("relay"), seed: 1)
        let about = try scenario("relay").about
        #expect(run.openings == 1 && about.contains("PASSES"))
    }
}
