// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
package import GateReport
import GateTrial
package import JSON
package import Proximity
import Statistics
import Timekeeping

/// The accept rates of the default gate as a table and as JSON.
package enum BenchGateText {
    private static let head = ["file", "packets", "distance", "traces", "windows", "opens", "95 % interval", "after"]

    package static func lines(_ benches: [GateBench], _ gate: ProximityGate.Configuration) -> [String] {
        [
            "gate: median of \(gate.samples) at \(gate.threshold) dBm or better within "
                + "\(gate.window.wholeMilliseconds) ms",
            "",
        ] + TextTable.aligned(rows(benches))
    }

    /// The head and the rows.
    package static func rows(_ benches: [GateBench]) -> [[String]] {
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

    package static func json(_ benches: [GateBench], _ gate: ProximityGate.Configuration) -> String {
        ([
            "threshold-dbm": Int(gate.threshold), "window-ms": gate.window.wholeMilliseconds, "samples": gate.samples,
            "files": benches.map(json),
        ] as JSONObject).text
    }

    private static func json(_ bench: GateBench) -> JSONObject {
        [
            "file": bench.source, "by-packets": bench.isByPackets,
            "windows-not-counted": bench.report.sparse.values.reduce(0, +), "rows": bench.report.rows.map(json),
        ]
    }

    private static func json(_ row: GateReport.Row) -> JSONObject {
        [
            "distance": row.group.first ?? "", "traces": row.rate.traces, "windows": row.rate.windows,
            "opened": row.rate.opened, "low": row.rate.interval.map { BenchGateText.share($0.lowerBound) },
            "high": row.rate.interval.map { BenchGateText.share($0.upperBound) }, "after-ms": row.openedMilliseconds,
        ]
    }

    /// A share in JSON.
    package static func share(_ share: Double) -> JSONLiteral { JSONLiteral(DecimalText.of(share, 4)) }
}
