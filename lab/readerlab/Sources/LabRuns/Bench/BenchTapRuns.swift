// SPDX-License-Identifier: Apache-2.0

package import LabReport
import Reader
import TapBench

/// The bench of taps as a run of the lab.
package enum BenchTapRuns {
    package static func run(_ bench: BenchTap, command: String) -> LabRun {
        var run = LabRun(suite: "bench tap", version: FirmwareVersion.text, command: command)
        run.cases = bench.rows.map { one($0, runs: bench.runs) }
        run.tables = [
            LabTable("Tap to open, in ms", BenchTapText.rows(bench)),
            LabTable("Each command, in ms", BenchTapText.exchangeRows(bench)),
        ]
        return run
    }

    private static func one(_ row: TapStages, runs: Int) -> LabCase {
        var one = LabCase("bench.tap", row.trace.kind.rawValue)
        let wanted = TapStages.targets[row.trace.kind].map { LabMetric.Limit.atMost(Double($0)) }
        one.metrics = [
            LabMetric("total", Double(row.total) / 1e6, "ms", count: runs, limit: wanted),
            LabMetric(
                "reader", Double(row.reader) / 1e6, "ms", count: runs,
                limit: .atMost(Double(TapStages.readerLimit) / 1e6)),
            LabMetric("record", Double(row.door.record) / 1e6, "ms", count: runs),
        ]
        if !row.isWithinTargets {
            one.result = .failed(
                type: "target", message: "\(row.trace.kind.rawValue): the total or the reader's own part is too long",
                text: "")
        }
        return one
    }
}
