// SPDX-License-Identifier: Apache-2.0

import Console
import Commands
package import LoadGenerator
import Statistics

/// A report as a table with a line for each test.
package enum BenchTableText {
    private static let head = [
        "test", "links", "ops", "ops/s", "p50 us", "p99 us", "host CPU us", "own CPU us", "allocs/op", "RSS kB",
        "grown",
        "wrong",
    ]

    package static func lines(_ report: LoadReport) -> [String] {
        var lines: [String] = []
        if let bringUp = report.bringUp {
            lines.append(
                "advertising \(DecimalText.of(bringUp.milliseconds, 2)) ms and \(bringUp.commands) commands after the first "
                    + "one, all connected \(DecimalText.of(bringUp.connectMilliseconds, 2)) ms later")
            lines.append("")
        }
        if !report.results.isEmpty { lines += TextTable.aligned(rows(report)) }
        for result in report.results where result.wasCutShort {
            lines.append("\(result.test.rawValue): the time was over before the operations were; see --seconds")
        }
        if let fault = report.fault { lines.append("error: \(fault)") }
        return lines
    }

    /// The head and the rows.
    package static func rows(_ report: LoadReport) -> [[String]] { [head] + report.results.map(cells) }

    private static func cells(_ result: TestResult) -> [String] {
        [
            result.test.rawValue, "\(result.phones)", "\(result.operations)", DecimalText.of(result.perSecond, 0),
            DecimalText.of(result.latencies?.median, 1),
            result.latencies.map { TextTable.percentile($0.p99, 1) } ?? "-",
            DecimalText.of(result.hostMicroseconds, 2), DecimalText.of(result.generatorMicroseconds, 2),
            DecimalText.of(result.allocations, 3), result.residentKilobytes.map { "\($0)" } ?? "-",
            result.grownKilobytes.map { "\($0)" } ?? "-", "\(result.failures)",
        ]
    }
}
