// SPDX-License-Identifier: Apache-2.0

import JSON
import Reader

/// The report on a board, which its owner sends back: the self-test, and what a person has seen.
struct BoardReport: Equatable {
    /// The self-test of the running reader.
    var selfTest: SelfTestReport
    /// The results, in the order of the checks.
    var results: [(check: BoardCheck, result: BoardResult)] = []

    /// True if nothing has failed and all that is configured was shown.
    var isComplete: Bool {
        selfTest.isGood && results.allSatisfy { $0.result == .shown || $0.result == .notConfigured }
    }

    static func == (left: BoardReport, right: BoardReport) -> Bool {
        left.selfTest == right.selfTest && left.results.elementsEqual(right.results) { $0 == $1 }
    }

    private static let nameWidth = BoardCheck.allCases.map(\.rawValue.count).max() ?? 0

    /// The report as text, its lines.
    var lines: [String] {
        var lines = ["readerd \(FirmwareVersion.text)"]
        lines += selfTest.rows.map(\.line)
        lines += ["", "Seen by a person:"]
        for (check, result) in results {
            lines.append(check.rawValue.padded(to: BoardReport.nameWidth) + "  " + result.word)
        }
        lines += ["", isComplete ? "All that is configured was shown." : "Not all that is configured was shown."]
        return lines
    }

    /// The report as a JSON object: the self-test's, with `complete` and `board`.
    var json: String {
        var report = selfTest.object
        report.add("complete", isComplete)
        let checks = results.map { check, result -> JSONObject in
            ["check": check.rawValue, "result": result.rawValue]
        }
        report.add("board", checks)
        return report.text
    }
}
