// SPDX-License-Identifier: Apache-2.0

import Demo
import GateReport
import GateTrial

/// Reports of the gate for machines. What is not known is left out.
enum GateJSON {
    private struct Rate: Encodable {
        var traces: Int
        var windows: Int
        var opened: Int
        var share: Double
        var interval: [Double]?

        init(_ rate: AcceptRate) {
            (traces, windows, opened, share) = (rate.traces, rate.windows, rate.opened, rate.share)
            interval = rate.interval.map { [$0.lowerBound, $0.upperBound] }
        }
    }

    private struct Row: Encodable {
        var file: String
        var group: [String]
        var rate: Rate
        var aside: Rate?
        var after: Int64?

        enum CodingKeys: String, CodingKey {
            case file, group, rate, aside
            case after = "after-ms"
        }
    }

    private struct Report: Encodable {
        var threshold: Int
        var window: Int
        var samples: Int
        var connection: Int
        var rows: [Row]
        var sparse: [String: Int]

        enum CodingKeys: String, CodingKey {
            case rows, samples
            case threshold = "threshold-dbm"
            case window = "window-ms"
            case connection = "connection-ms"
            case sparse = "windows-not-counted"
        }
    }

    private struct Calibrated: Encodable {
        var file: String
        var group: [String]
        var threshold: Int?
        var near: Rate?
        var far: Rate?

        enum CodingKeys: String, CodingKey {
            case file, group, near, far
            case threshold = "threshold-dbm"
        }
    }

    static func text(_ report: GateReport, _ gate: GateOptions) throws -> String {
        try JSONText.line(
            Report(
                threshold: gate.thresholdDbm, window: gate.windowMs, samples: gate.samples,
                connection: gate.connectionMs,
                rows: report.rows.map {
                    Row(
                        file: $0.source, group: $0.group, rate: Rate($0.rate), aside: $0.aside.map(Rate.init),
                        after: $0.openedMilliseconds)
                }, sparse: report.sparse))
    }

    static func text(_ calibration: GateCalibration) throws -> String {
        try JSONText.line(
            calibration.rows.map {
                Calibrated(
                    file: $0.source, group: $0.group, threshold: $0.threshold.map(Int.init),
                    near: $0.near.map(Rate.init),
                    far: $0.far.map(Rate.init))
            })
    }
}
