// SPDX-License-Identifier: Apache-2.0

import Demo
package import LabReport
import Reader
package import Scenario
import Statistics
import Timekeeping

/// Runs of scenarios and swarms as runs of the lab. They are on virtual time: equal seeds make equal reports.
package enum ScenarioRuns {
    /// The case of a run of a scenario.
    package static func of(_ run: SiteRun, _ scenario: SiteScenario, named name: String) -> LabCase {
        of(run, scenario, in: "scenario.\(className(name))", again: "readerlab scenario \(name) --seed \(run.seed)")
    }

    /// The case of a run of a swarm.
    package static func of(_ run: SiteRun, _ swarm: Swarm, _ reached: [FaultKind]) -> LabCase {
        var one = of(
            run, swarm.scenario, in: "scenario.swarm", again: "readerlab scenario --swarm 1 --seed \(run.seed)")
        one.output = "reached: \(reached.map(\.rawValue).joined(separator: ", "))\n" + one.output
        return one
    }

    /// The runs of a scenario.
    package static func run(_ summary: ScenarioSummary, _ cases: [LabCase], named name: String, seed: UInt64) -> LabRun
    {
        var run = LabRun(
            suite: "scenario \(name)", version: FirmwareVersion.text, command: RepeatedCommand.text(), seed: seed)
        run.environment = [
            .init("scenario", name),
            .init("faults", summary.scenario.events.map(\.order.line).joined(separator: ", ")),
        ]
        run.cases = cases
        run.metrics =
            asExpected(summary.runs - summary.failed, of: summary.runs)
            + zip(summary.names, summary.results).flatMap { name, results in
                times(results.filter { $0.result == .opened }.compactMap(\.after), "\(name), after")
            }
        run.tables = [LabTable("Phones", ScenarioText.rows(summary))]
        return run
    }

    /// The runs of swarms.
    package static func run(_ runs: SwarmRuns, _ cases: [LabCase]) -> LabRun {
        var run = LabRun(
            suite: "scenario swarm", version: FirmwareVersion.text, command: RepeatedCommand.text(), seed: runs.first)
        run.environment = [.init("scenario", "swarm")]
        run.cases =
            cases
            + runs.missing.map { kind in
                LabCase(
                    "scenario.swarm.kinds", kind.rawValue,
                    .failed(type: "reached", message: "never reached in \(runs.runs) runs", text: ""))
            }
        run.metrics = asExpected(runs.runs - runs.failed.count, of: runs.runs) + times(runs.waits, "the good phone")
        run.tables = [
            LabTable(
                "Trouble", ["trouble", "runs"], FaultKind.allCases.map { [$0.rawValue, "\(runs.reached[$0] ?? 0)"] })
        ]
        return run
    }

    private static func of(_ run: SiteRun, _ scenario: SiteScenario, in className: String, again: String) -> LabCase {
        var one = LabCase(className, "seed \(run.seed)", seconds: Double(scenario.end.wholeMilliseconds) / 1000)
        let told = ScenarioText.failures(run)
        if let first = told.first {
            let rules = SiteRun.Rule.allCases.filter(run.broken.contains).map(\.rawValue).joined(separator: ",")
            one.result = .failed(
                type: rules, message: first,
                text: (told.dropFirst() + ["repeat: \(again) --timeline"]).joined(separator: "\n"))
            one.output = TimelineTable.lines(run.timeline).joined(separator: "\n")
        }
        return one
    }

    private static func asExpected(_ count: Int, of all: Int) -> [LabMetric] {
        Share(count, of: all).map { share in
            [
                LabMetric(
                    "as expected", share.value, "", interval: share.interval, count: all, isLessBetter: false)
            ]
        } ?? []
    }

    private static func times(_ times: [Duration], _ name: String) -> [LabMetric] {
        LabMetric.quantiles(of: Distribution(times.map { Double($0.wholeNanoseconds) / 1e6 }), name, "ms")
    }

    /// The last part of a path without its extension, because points separate the names of classes.
    private static func className(_ name: String) -> String {
        let file = name.split(separator: "/").last ?? ""
        return String(file.split(separator: ".").first ?? file)
    }
}
