// SPDX-License-Identifier: Apache-2.0

import Statistics
import GateReport
import GateTrial
import JSON
import Reader
import Timekeeping

/// The accept rates of the default gate as a table and as JSON.
enum BenchGateText {
    private static let head = ["file", "packets", "distance", "traces", "windows", "opens", "95 % interval", "after"]

    static func lines(_ benches: [GateBench], _ gate: ProximityGate.Configuration) -> [String] {
        [
            "gate: median of \(gate.samples) at \(gate.threshold) dBm or better within "
                + "\(gate.window.wholeMilliseconds) ms",
            "",
        ] + BenchTableText.aligned(rows(benches))
    }

    /// The head and the rows.
    static func rows(_ benches: [GateBench]) -> [[String]] {
        [head]
            + benches.flatMap { bench in
                bench.report.rows.map { row in
                    [
                        bench.source, pace(bench), row.group.first ?? "", "\(row.rate.traces)", "\(row.rate.windows)",
                        GateText.percent(row.rate.share), GateText.interval(row.rate),
                        row.openedMilliseconds.map { "\($0) ms" } ?? "-",
                    ]
                }
            }
    }

    private static func pace(_ bench: GateBench) -> String {
        bench.isByPackets ? "1 in \(GateBench.connectionInterval.wholeMilliseconds) ms" : "recorded"
    }

    static func json(_ benches: [GateBench], _ gate: ProximityGate.Configuration) -> String {
        var object = JSONObject()
        object.add("threshold-dbm", Int(gate.threshold))
        object.add("window-ms", gate.window.wholeMilliseconds)
        object.add("samples", gate.samples)
        object.add("files", benches.map(json))
        return object.text
    }

    private static func json(_ bench: GateBench) -> JSONObject {
        var object = JSONObject()
        object.add("file", bench.source)
        object.add("by-packets", bench.isByPackets)
        object.add("windows-not-counted", bench.report.sparse.values.reduce(0, +))
        object.add("rows", bench.report.rows.map(json))
        return object
    }

    private static func json(_ row: GateReport.Row) -> JSONObject {
        var object = JSONObject()
        object.add("distance", row.group.first ?? "")
        object.add("traces", row.rate.traces)
        object.add("windows", row.rate.windows)
        object.add("opened", row.rate.opened)
        if let interval = row.rate.interval {
            object.add("low", json: DecimalText.of(interval.lowerBound, 4))
            object.add("high", json: DecimalText.of(interval.upperBound, 4))
        }
        if let after = row.openedMilliseconds { object.add("after-ms", after) }
        return object
    }
}
