// SPDX-License-Identifier: Apache-2.0

import Commands
import Emulation
package import GateReport
import GateTrial
import JSON
package import Scenario
import Statistics

extension GateReport.Row {
    /// The share of wrongly decided windows, with its interval: refusals of phones at the door, and acceptances of
    /// distant ones.
    fileprivate var wrong: (share: Double, interval: ClosedRange<Double>?) {
        guard isNear else { return (rate.share, rate.interval) }
        return (1 - rate.share, rate.interval.map { 1 - $0.upperBound...1 - $0.lowerBound })
    }
}

/// Attacks, and the errors of the gate by file, as tables and as JSON.
package enum BenchAttacksText {
    private static let attackHead = ["attack", "tries", "openings", "95 % interval", "answers", ""]
    private static let errorHead = ["file", "distance", "error", "traces", "windows", "share", "95 % interval"]

    package static func lines(_ attacks: [AttackBench], _ errors: [GateBench]) -> [String] {
        var lines = TextTable.aligned(attackRows(attacks)).map(TextTable.trimmed)
        if !errors.isEmpty { lines += [""] + TextTable.aligned(errorRows(errors)) }
        return lines
    }

    /// The head and a row for each attack.
    static func attackRows(_ attacks: [AttackBench]) -> [[String]] {
        [attackHead]
            + attacks.map { row in
                [
                    row.attack.name, "\(row.tries)", "\(row.openings)", row.share.map { interval($0.interval) } ?? "-",
                    row.answers.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" }.joined(separator: ", "),
                    row.openings > 0 ? "PASSES" : "",
                ]
            }
    }

    /// The head and a row for each distance of each file.
    static func errorRows(_ errors: [GateBench]) -> [[String]] {
        [errorHead]
            + errors.flatMap { file in
                file.report.rows.map { row in
                    let (share, interval) = row.wrong
                    return [
                        file.source, row.group.first ?? "",
                        row.isNear ? "false reject" : "false accept",
                        "\(row.rate.traces)", "\(row.rate.windows)", GateText.percent(share),
                        interval.map(self.interval) ?? "too few traces",
                    ]
                }
            }
    }

    private static func interval(_ range: ClosedRange<Double>) -> String {
        let (low, high) = (DecimalText.of(100 * range.lowerBound, 1), 100 * range.upperBound)
        return "\(low)-\(DecimalText.of(high, 1)) %"
    }

    package static func json(_ attacks: [AttackBench], _ errors: [GateBench]) -> String {
        let object: JSONObject = [
            "attacks": attacks.map(json),
            "errors": errors.flatMap { file in file.report.rows.map { json($0, file.source) } },
        ]
        return object.text
    }

    private static func json(_ row: AttackBench) -> JSONObject {
        var answers = JSONObject()
        for (answer, count) in row.answers.sorted(by: { $0.key < $1.key }) { answers.add(answer, count) }
        let interval = row.share?.interval
        return [
            "attack": row.attack.name, "tries": row.tries, "openings": row.openings,
            "low": interval.map { BenchGateText.share($0.lowerBound) },
            "high": interval.map { BenchGateText.share($0.upperBound) }, "answers": answers,
        ]
    }

    private static func json(_ row: GateReport.Row, _ source: String) -> JSONObject {
        let (share, interval) = row.wrong
        return [
            "file": source, "distance": row.group.first ?? "", "error": row.isNear ? "false-reject" : "false-accept",
            "traces": row.rate.traces, "windows": row.rate.windows, "share": BenchGateText.share(share),
            "low": interval.map { BenchGateText.share($0.lowerBound) },
            "high": interval.map { BenchGateText.share($0.upperBound) },
        ]
    }
}
