// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
package import JSON
import Reader
package import Scenario
import Statistics
import Timekeeping

/// The counted runs of a scenario.
package struct ScenarioSummary {
    package let scenario: SiteScenario
    package private(set) var runs = 0
    package private(set) var failed = 0
    package private(set) var openings = 0
    /// The results of each phone.
    package private(set) var results: [[SiteRun.PhoneResult]]
    /// The first unexpected run, otherwise the last run.
    package private(set) var shown: SiteRun?
    /// The first failures, one line each with its seed.
    package private(set) var failures: [String] = []
    /// The number of lines that `failures` omits.
    private(set) var unlisted = 0
    private let begin = ContinuousClock.now

    /// The maximum number of lines in `failures`: a screen.
    private static let listed = 20

    package init(_ scenario: SiteScenario) {
        self.scenario = scenario
        results = Array(repeating: [], count: scenario.phones.count + scenario.cards.count)
    }

    package var isAsExpected: Bool { failed == 0 }

    /// The names of the phones, and then of the cards.
    package var names: [String] { scenario.phones.map(\.name) + scenario.cards.map(\.name) }

    /// The real time since the first run began.
    package var elapsed: Duration { ContinuousClock.now - begin }

    package mutating func add(_ run: SiteRun) {
        runs += 1
        openings += run.openings
        for (index, phone) in run.phones.enumerated() { results[index].append(phone) }
        if failed == 0 { shown = run }
        guard !run.isAsExpected else { return }
        failed += 1
        let lines = ScenarioText.failures(run).map { "FAILED, seed \(run.seed): \($0)" }
        // All lines of the first failed run are kept, because the command at the end repeats it.
        let room = failed == 1 ? lines.count : max(0, ScenarioSummary.listed - failures.count)
        failures += lines.prefix(room)
        unlisted += max(0, lines.count - room)
    }
}

/// The runs of a scenario as a table, and each run as JSON.
package enum ScenarioText {
    package static func lines(
        _ summary: ScenarioSummary, named name: String, on air: ScenarioAir = .virtual
    ) -> [String] {
        var lines = summary.scenario.about.isEmpty ? [] : [summary.scenario.about, ""]
        lines += TextTable.aligned(rows(summary))
        lines.append("")
        if let run = summary.shown, summary.runs == 1 { lines.append("lock: released \(run.openings) time(s)") }
        if let run = summary.shown, !run.isAsExpected {
            lines += summary.failures
            if summary.unlisted > 0 { lines.append("and \(summary.unlisted) more; --json has each run") }
            let option = air == .virtual ? "" : " --air \(air.text)"
            lines.append("repeat: readerlab scenario \(name) --seed \(run.seed)\(option) --timeline")
        }
        let failed = summary.failed == 0 ? "" : ", \(summary.failed) not as expected"
        return lines + ["\(summary.runs) run(s)\(failed), \(summary.openings) opening(s)"]
    }

    /// The phones, below a head.
    package static func rows(_ summary: ScenarioSummary) -> [[String]] {
        summary.runs == 1 ? single(summary) : several(summary)
    }

    private static func single(_ summary: ScenarioSummary) -> [[String]] {
        let names = summary.scenario.readers.count > 1
        return [["phone"] + (names ? ["reader"] : []) + ["result", "after", "connections", "as expected"]]
            + (summary.shown?.phones ?? []).map { phone in
                [phone.name] + (names ? [phone.reader ?? "-"] : []) + [
                    verdict(phone),
                    phone.after.map { "\($0.wholeMilliseconds) ms" } ?? "-", "\(phone.connections)",
                    phone.isAsExpected ? "yes" : "NO",
                ]
            }
    }

    private static func several(_ summary: ScenarioSummary) -> [[String]] {
        let all = SiteScenario.Result.allCases
        return [["phone"] + all.map(\.rawValue) + ["median after", "as expected"]]
            + zip(summary.names, summary.results).map { name, results in
                let times = Distribution(results.filter { $0.result == .opened }.compactMap(\.after))
                return [name]
                    + all.map { result in "\(results.count { $0.result == result })" }
                    + [
                        times[.median].map { "\($0.wholeMilliseconds) ms" } ?? "-",
                        "\(results.count(where: \.isAsExpected)) of \(results.count)",
                    ]
            }
    }

    /// The failures of a run, one line each: the door, the rules, and the phones.
    package static func failures(_ run: SiteRun) -> [String] {
        run.failures + run.phones.filter { !$0.isAsExpected }.map { "\($0.name) \(text($0))" }
    }

    private static func text(_ phone: SiteRun.PhoneResult) -> String {
        let after = phone.after.map { " after \($0.wholeMilliseconds) ms" } ?? ""
        let place = phone.reader.map { $0 == SiteReader.onlyName ? "" : " at \($0)" } ?? ""
        return "\(phone.result.rawValue)\(place)\(detail(phone))\(after)"
    }

    /// The result, with its status or reason.
    private static func verdict(_ phone: SiteRun.PhoneResult) -> String { phone.result.rawValue + detail(phone) }

    private static func detail(_ phone: SiteRun.PhoneResult) -> String {
        (phone.status.map { ", status \($0)" } ?? "") + (phone.reason.map { ", \($0)" } ?? "")
    }

    /// The time that the runs took. It differs from run to run, and belongs on standard error.
    package static func cost(_ summary: ScenarioSummary) -> String {
        let simulated = Double(summary.scenario.end.wholeMilliseconds) * Double(summary.runs) / 1000
        let taken = max(Double(summary.elapsed.wholeMilliseconds) / 1000, 0.001)
        return "\(DecimalText.of(taken, 2)) s for \(DecimalText.of(simulated, 0)) s of the scenario"
    }

    /// A run as JSON, named by version, scenario, seed and faults, and by its air unless that is the virtual one.
    package static func json(
        _ run: SiteRun, of scenario: SiteScenario, named name: String, on air: ScenarioAir = .virtual
    ) -> String {
        var object: JSONObject = ["version": FirmwareVersion.text, "scenario": name]
        if air != .virtual { object.add("air", air.name) }
        object.add("faults", scenario.events.map { "\($0.after.wholeMilliseconds) ms: \($0.order.line)" })
        object.add(contentsOf: self.object(run))
        return object.text
    }

    /// The members of a run.
    package static func object(_ run: SiteRun) -> JSONObject {
        [
            "seed": run.seed, "as-expected": run.isAsExpected, "openings": run.openings,
            "phones": run.phones.map(json), "failures": run.failures,
            "fingerprint": String(run.fingerprint, radix: 16),
        ]
    }

    private static func json(_ phone: SiteRun.PhoneResult) -> JSONObject {
        [
            "name": phone.name, "reader": phone.reader, "result": phone.result.rawValue,
            "after-ms": phone.after?.wholeMilliseconds, "status": phone.status, "reason": phone.reason,
            "connections": phone.connections,
            "as-expected": phone.isAsExpected,
        ]
    }
}
