// SPDX-License-Identifier: Apache-2.0

package import GateReport
import GateTrial
package import LabReport
package import Proximity
import Reader
import Statistics
import Timekeeping

/// The accept rates of the default gate as a run of the lab. Equal files make equal reports.
package enum BenchGateRuns {
    package static func run(_ benches: [GateBench], _ gate: ProximityGate.Configuration, command: String) -> LabRun {
        var run = LabRun(suite: "bench gate", version: FirmwareVersion.text, command: command)
        run.environment = [
            .init("threshold", "\(gate.threshold) dBm"), .init("window", "\(gate.window.wholeMilliseconds) ms"),
            .init("samples", "\(gate.samples)"),
        ]
        run.cases = benches.map(one)
        run.tables = [LabTable("Accept rates", BenchGateText.rows(benches))]
        run.plots = benches.compactMap { bench in
            bench.report.rows.contains { $0.metres != nil }
                ? GatePlot.plot(bench.report, title: "\(bench.source), by distance") : nil
        }
        return run
    }

    private static func one(_ bench: GateBench) -> LabCase {
        var one = LabCase("bench.gate", bench.source)
        if bench.report.rows.isEmpty {
            one.result = .error(
                type: "windows", message: "\(bench.source): no window has enough packets for the gate's median",
                text: "")
        }
        one.metrics = bench.report.rows.flatMap { row in
            let (name, rate) = (row.group.first ?? "-", row.rate)
            let opens = LabMetric(
                "\(name) opens", rate.share, "", interval: rate.interval, count: rate.windows,
                isLessBetter: !row.isNear)
            let after = row.openedMilliseconds.map {
                LabMetric("\(name) after p50", Double($0), "ms", count: row.opened.count)
            }
            return [opens] + (after.map { [$0] } ?? [])
        }
        return one
    }
}
