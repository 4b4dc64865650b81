// SPDX-License-Identifier: Apache-2.0

import Proximity
import Reader
import Testing
import Timekeeping

@testable import Scenario

/// Swarms: rules that hold in every run, kinds of trouble that are all reached, failures that become small.
@Suite struct SwarmTests {
    /// Every kind occurs among the runs, and all rules hold in each: fails if a kind is never reached.
    @Test func everyKindIsReachedAndAllRulesHold() throws {
        var reached: [FaultKind: Int] = [:]
        for seed in 1...UInt64(Swarm.runsForAllKinds) {
            let swarm = Swarm(seed: seed)
            let run = try swarm.run()
            #expect(run.broken == [], "seed \(seed): \(run.failures), \(run.phones.filter { !$0.isAsExpected })")
            #expect(SwarmFairness(patience: Swarm.patience).holds(swarm.scenario), "seed \(seed)")
            for kind in swarm.reached(in: run) { reached[kind, default: 0] += 1 }
        }
        for kind in FaultKind.allCases {
            #expect(reached[kind] != nil, "\(kind.rawValue) was never reached: \(reached)")
        }
    }

    @Test func aSeedNamesARun() throws {
        let (one, two) = (Swarm(seed: 11), Swarm(seed: 11))
        #expect(one.scenario == two.scenario)
        let (first, second) = (try one.run(), try two.run())
        #expect(first.fingerprint == second.fingerprint && first.timeline == second.timeline)
        #expect(Swarm(seed: 12).scenario != one.scenario)
        // The file and the run are of one scenario.
        let file = try SiteScenario(json: Array(one.scenario.json.utf8))
        let read = try SiteRun(file, seed: 11)
        #expect(file == one.scenario && read.fingerprint == first.fingerprint)
    }

    /// No scenario without its ends of faults is fair: its good phone would be refused with reason.
    @Test func aFaultThatLastsIsNotFair() throws {
        let fairness = SwarmFairness(patience: Swarm.patience)
        var unfair = 0
        for seed in 1...40 as ClosedRange<UInt64> {
            for end in ["power on", "lockdown off", "tamper reset", "loss 0", "clock set", "controller working"] {
                var scenario = Swarm(seed: seed).scenario
                scenario.events.removeAll { $0.order.line == end }
                guard scenario != Swarm(seed: seed).scenario, end != "tamper reset" || scenario.door.tamper == .block
                else { continue }
                unfair += 1
                #expect(!fairness.holds(scenario), "seed \(seed) without \(end)")
            }
        }
        #expect(unfair > 20)
    }

    /// A reader whose gate asks for more than any phone has once its controller has failed: found, small, and still
    /// failing as a file.
    @Test func aDefectIsFoundAndShrunk() throws {
        let broken = { (scenario: SiteScenario, seed: UInt64) in
            var scenario = scenario
            scenario.gate.threshold = -30
            // Only with a controller that has failed.
            guard scenario.events.contains(where: { $0.order == .controller(isWorking: false) }) else {
                return [] as Set<SiteRun.Rule>
            }
            return try SiteRun(scenario, seed: seed).broken
        }
        let seeds = (1...60 as ClosedRange<UInt64>).filter {
            Swarm(seed: $0).kinds.contains(.deadController) && Swarm(seed: $0).kinds.count > 3
        }
        let seed = try #require(seeds.first)
        let swarm = Swarm(seed: seed)
        let failure = try #require(
            try SwarmFailure(swarm, patience: Swarm.patience) { try broken($0, seed) })
        #expect(failure.rule == .phones && failure.scenario.phones.map(\.name) == [Swarm.goodPhone])
        #expect(failure.scenario.events.map(\.order.line) == ["controller dead", "controller working"])
        let json = failure.scenario.json
        #expect(json.split(separator: "\n").count <= SwarmFailure.readableLines, "\(json)")
        #expect(try broken(SiteScenario(json: Array(json.utf8)), seed).contains(.phones))
    }

    /// A bound that cannot be kept fails in every run, and what is left of each is the good phone.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func aRunThatFailsBecomesAFileThatFails(_ seed: UInt64) throws {
        let patience = Duration.milliseconds(20)
        let failure = try #require(try SwarmFailure(Swarm(seed: seed, patience: patience), patience: patience))
        let json = failure.scenario.json
        #expect(json.split(separator: "\n").count <= 8, "\(json)")
        let again = try SiteRun(SiteScenario(json: Array(json.utf8)), seed: seed)
        #expect(again.broken == [.phones])
    }

    @Test func aRunThatHoldsIsNoFailure() throws {
        #expect(try SwarmFailure(Swarm(seed: 1)) == nil)
    }
}
