// SPDX-License-Identifier: Apache-2.0

import LabReport

/// Runs of the tests.
enum Runs {
    /// A run of each result, on virtual time.
    static var ofAllResults: LabRun {
        var run = LabRun(suite: "scenario x", version: "1.2.3", command: "readerlab scenario x --seed 7", seed: 7)
        run.environment = [.init("faults", "none")]
        var failed = LabCase(
            "scenario.x", "seed 7", seconds: 1.5, .failed(type: "rule", message: "a < b", text: "more & more"))
        failed.output = "line 1\nline 2"
        failed.attachments = ["swarm-7.json"]
        failed.metrics = [LabMetric("p50", 0.000_01, "s", interval: 0...0.001, count: 9, limit: .atMost(1))]
        run.cases = [
            LabCase("scenario.x", "seed 7", seconds: 30), failed,
            LabCase("scenario.y", "a#b\\c", .skipped("no controller")),
            LabCase("scenario.y", "e", .error(type: "fault", message: "the host ended", text: "")),
        ]
        return run
    }

    /// A run with one figure.
    static func of(_ value: Double, _ interval: ClosedRange<Double>?, limit: LabMetric.Limit? = nil) -> LabRun {
        var run = LabRun(
            suite: "bench", version: "1.2.3", command: "readerlab bench",
            occasion: .init(timestamp: "2026-11-25T12:00:00Z", host: "h", machine: "m"))
        run.metrics = [LabMetric("p50", value, "us", interval: interval, count: 100, limit: limit)]
        return run
    }
}
