// SPDX-License-Identifier: Apache-2.0

import SeededNumbers
import Timekeeping
import VirtualRadio

/// A scenario made from a seed: some kinds of trouble, omitting others (swarm testing, Groce 2012). All of it ends;
/// then a good phone comes, and has to open within a time.
///
/// Each kind, and each choice, has its own random numbers: a new kind does not change the other kinds of a seed.
public struct Swarm: Sendable {
    /// The time within which the good phone has to open.
    ///
    /// A link that was cut off, of another phone or of the good one itself, holds its place until the reader ends it
    /// after 3 s (`links.max-connection`); finding the reader and a visit take less than 2 s.
    public static let patience = Duration.seconds(5)
    /// The runs among which every kind occurs; fewer need not reach all.
    public static let runsForAllKinds = 200
    /// The name of the good phone.
    public static let goodPhone = "good"
    /// The time from the end of all trouble to the good phone.
    static let rest = Duration.milliseconds(500)

    /// The seed, of the scenario and of its run.
    public let seed: UInt64
    /// The kinds of trouble.
    public let kinds: [FaultKind]
    /// The scenario.
    public let scenario: SiteScenario

    /// The swarm of this seed.
    ///
    /// - Parameter patience: the time within which the good phone has to open.
    public init(seed: UInt64, patience: Duration = Swarm.patience) {
        self.seed = seed
        var choices = SeededGenerator(seed: seed, stream: "swarm")
        // Few kinds in most runs: much trouble at once hides what a little of it does.
        let share = [0.05, 0.15, 0.4][Int(choices.below(3))]
        kinds = FaultKind.allCases.filter { kind in
            var lot = SeededGenerator(seed: seed, stream: "swarm has \(kind.rawValue)")
            return lot.happens(share)
        }
        var trouble = SwarmTrouble(reader: SeededGenerator(seed: seed, stream: "swarm's reader"))
        for kind in kinds {
            trouble.add(kind, SeededGenerator(seed: seed, stream: "swarm's \(kind.rawValue)"))
        }
        scenario = trouble.ended(patience: patience)
    }

    /// Runs it.
    ///
    /// - Throws: only if the cryptographic library rejects the keys.
    public func run() throws -> SiteRun { try SiteRun(scenario, seed: seed) }

    /// The kinds of trouble that have occurred in a run of it.
    public func reached(in run: SiteRun) -> [FaultKind] { kinds.filter { $0.isReached(in: run, of: scenario) } }
}
