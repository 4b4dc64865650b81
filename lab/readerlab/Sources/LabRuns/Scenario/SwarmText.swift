// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
import JSON
import Reader
package import Scenario
import Statistics
import Timekeeping

/// The runs of swarms as a table, and each run as JSON.
package enum SwarmText {
    package static func lines(_ runs: SwarmRuns) -> [String] {
        var lines = TextTable.aligned(
            [["trouble", "runs"]] + FaultKind.allCases.map { [$0.rawValue, "\(runs.reached[$0] ?? 0)"] })
        lines.append("")
        let waits = Distribution(runs.waits)
        if let median = waits[.median], let longest = waits.sorted.last {
            lines.append(
                "the good phone opened after \(median.wholeMilliseconds) ms (median), "
                    + "\(longest.wholeMilliseconds) ms at most, of \(runs.patience.wholeMilliseconds) ms")
        }
        let last = runs.first &+ UInt64(max(runs.runs, 1) - 1)
        lines.append(
            "\(runs.runs) run(s), \(runs.failed.count) failed, \(runs.openings) opening(s)")
        lines.append("readerlab \(FirmwareVersion.text), swarm, seeds \(runs.first) to \(last)")
        return lines + missing(runs)
    }

    /// The time that the runs took. It differs from run to run, and belongs on standard error.
    package static func cost(_ runs: SwarmRuns) -> String {
        let taken = max(Double(runs.elapsed.wholeMilliseconds) / 1000, 0.001)
        let perMinute = Double(runs.runs) * 60 / taken
        return "\(DecimalText.of(taken, 1)) s, \(DecimalText.of(perMinute, 0)) a minute"
    }

    /// A line for each kind of fault that should have occurred, and did not.
    package static func missing(_ runs: SwarmRuns) -> [String] {
        runs.missing.map { "FAILED: \($0.rawValue) was never reached in \(runs.runs) runs" }
    }

    package static func failed(_ runs: SwarmRuns) -> [String] {
        guard let seed = runs.failed.first else { return [] }
        let others = runs.failed.dropFirst().prefix(10).map { "\($0)" }.joined(separator: ", ")
        return runs.told.map { "FAILED, seed \(seed): \($0)" }
            + (others.isEmpty ? [] : ["failed too, of \(runs.failed.count) in all: seeds \(others)"])
    }

    package static func repeated(_ failure: SwarmFailure, in file: String) -> [String] {
        let lines = failure.scenario.json.split(separator: "\n").count
        let (kept, all) = (failure.scenario, failure.swarm.scenario)
        return [
            "shrunk to \(lines) lines in \(failure.runs) tries: \(kept.phones.count) of \(all.phones.count) phones, "
                + "\(kept.events.count) of \(all.events.count) events "
                + "(still fails: \(failure.rule.rawValue))",
            "repeat: readerlab scenario \(file) --seed \(failure.swarm.seed) --timeline",
        ]
    }

    package static func json(_ run: SiteRun, _ swarm: Swarm, _ reached: [FaultKind]) -> String {
        var object: JSONObject = [
            "version": FirmwareVersion.text, "scenario": "swarm", "faults": swarm.kinds.map(\.rawValue),
            "reached": reached.map(\.rawValue),
        ]
        object.add(contentsOf: ScenarioText.object(run))
        return object.text
    }
}
