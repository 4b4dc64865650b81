// SPDX-License-Identifier: Apache-2.0

import Demo
import GateReport
import GateTrial
import LabRuns

/// Reports of the gate for machines. Unknown members are omitted.
enum GateJSON {
    static func text(_ report: GateReport, _ gate: GateOptions) throws -> String {
        try JSONText.line([
            "threshold-dbm": gate.thresholdDbm, "window-ms": gate.windowMs, "samples": gate.samples,
            "connection-ms": gate.connectionMs, "rows": report.rows.map(fields), "windows-not-counted": report.sparse,
        ])
    }

    private static func fields(_ row: GateReport.Row) -> SortedJSON {
        [
            "file": row.source, "group": row.group, "rate": fields(row.rate), "aside": row.aside.map(fields),
            "after-ms": row.openedMilliseconds,
        ]
    }

    private static func fields(_ rate: AcceptRate) -> SortedJSON {
        [
            "traces": rate.traces, "windows": rate.windows, "opened": rate.opened, "share": rate.share,
            "interval": rate.interval.map { [$0.lowerBound, $0.upperBound] },
        ]
    }

    static func text(_ calibration: GateCalibration) throws -> String {
        try JSONText.line(
            calibration.rows.map { row -> SortedJSON in
                [
                    "file": row.source, "group": row.group, "threshold-dbm": row.threshold.map { Int($0) },
                    "near": row.near.map(fields), "far": row.far.map(fields),
                ]
            })
    }
}
