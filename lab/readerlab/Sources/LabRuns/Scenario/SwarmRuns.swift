// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
package import Scenario
import System
import Timekeeping

/// The counted runs of swarms, with the first failed run.
package struct SwarmRuns {
    package let first: UInt64
    package let patience: Duration
    package private(set) var runs = 0
    package private(set) var openings = 0
    package private(set) var reached: [FaultKind: Int] = [:]
    package private(set) var failed: [UInt64] = []
    /// The failures of the first failed run.
    package private(set) var told: [String] = []
    /// The times until good phones opened the door.
    package private(set) var waits: [Duration] = []

    package init(
        first: UInt64, patience: Duration, runs: Int = 0, openings: Int = 0, reached: [FaultKind: Int] = [:],
        failed: [UInt64] = [], told: [String] = [], waits: [Duration] = []
    ) {
        self.first = first
        self.patience = patience
        self.runs = runs
        self.openings = openings
        self.reached = reached
        self.failed = failed
        self.told = told
        self.waits = waits
    }
    private let begin = ContinuousClock.now

    /// The real time since the first run began.
    package var elapsed: Duration { ContinuousClock.now - begin }

    /// The kinds of faults that should have occurred, and did not.
    package var missing: [FaultKind] {
        runs < Swarm.runsForAllKinds ? [] : FaultKind.allCases.filter { reached[$0] == nil }
    }

    package mutating func add(_ run: SiteRun, _ kinds: [FaultKind]) {
        runs += 1
        openings += run.openings
        for kind in kinds { reached[kind, default: 0] += 1 }
        waits += run.phones.filter { $0.name == Swarm.goodPhone && $0.result == .opened }.compactMap(\.after)
        guard !run.isAsExpected else { return }
        if failed.isEmpty { told = ScenarioText.failures(run) }
        failed.append(run.seed)
    }

    /// Rewrites the line of progress on a terminal; without a terminal nothing is printed.
    package func showProgress(of all: Int) {
        guard isatty(STDERR_FILENO) == 1, runs % 10 == 0 || runs == all else { return }
        let end = runs == all ? "\r\u{1B}[K" : ""
        WholeWrite.write("\r\(runs) of \(all) runs, \(failed.count) failed" + end, to: STDERR_FILENO)
    }
}
