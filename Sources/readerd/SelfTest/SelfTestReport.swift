// SPDX-License-Identifier: Apache-2.0

import JSON
import Octets
import Reader

/// The parts of `readerd self-test`, in the order of the report.
enum SelfTestPart: String, CaseIterable {
    /// The Bluetooth controller answers, and supports the configuration.
    case controller
    /// Each configured mode is advertised.
    case advertising
    /// The NFC front end answers.
    case nfc
    /// The configured lines exist and are free.
    case gpio
    /// The reader's identity and keys are usable.
    case keys
    /// The state directory is writable, and the event log is intact at its end.
    case disk
    /// The clock is set.
    case clock
}

/// The outcome of one part.
enum SelfTestOutcome: Equatable {
    /// Works; with a description.
    case ok(String)
    /// Does not work; with the problem and its remedy.
    case failed(String)
    /// Not part of the configuration; with the reason.
    case notConfigured(String)

    /// The outcome in the table.
    var word: String {
        switch self {
        case .ok: "ok"
        case .failed: "failed"
        case .notConfigured: "not configured"
        }
    }

    /// The outcome in JSON.
    var name: String { self == .notConfigured(detail) ? "not-configured" : word }

    /// The description.
    var detail: String {
        switch self {
        case .ok(let text), .failed(let text), .notConfigured(let text): text
        }
    }

    var hasFailed: Bool { self == .failed(detail) }
}

/// The results of a self-test.
struct SelfTestReport: Equatable {
    /// The result of one part.
    struct Row: Equatable {
        /// The part's name; `reader` for a running reader as a whole.
        var name: String
        var outcome: SelfTestOutcome

        /// The table row. Its widths are fixed, so that it can be printed as soon as it is known.
        var line: String {
            name.padded(to: SelfTestReport.nameWidth) + "  "
                + outcome.word.padded(to: SelfTestReport.wordWidth) + "  " + outcome.detail.printable
        }
    }

    private static let nameWidth = SelfTestPart.allCases.map(\.rawValue.count).max() ?? 0
    private static let wordWidth = SelfTestOutcome.notConfigured("").word.count

    /// True if the results are of a running reader's status instead of tests.
    var isOfRunningReader = false
    var rows: [Row] = []

    /// Adds a part, and returns its row.
    @discardableResult mutating func add(_ name: String, _ outcome: SelfTestOutcome) -> String {
        let row = Row(name: name, outcome: outcome)
        rows.append(row)
        return row.line
    }

    var isGood: Bool { !rows.contains { $0.outcome.hasFailed } }

    /// The exit status: 1 for a failure.
    var exitCode: Int32 { isGood ? 0 : 1 }

    /// The report as JSON.
    var json: String { object.text }

    /// The report as a JSON object.
    var object: JSONObject {
        let parts = rows.map { row -> JSONObject in
            ["part": row.name, "result": row.outcome.name, "detail": row.outcome.detail]
        }
        return ["ok": isGood, "version": FirmwareVersion.text, "reader-runs": isOfRunningReader, "parts": parts]
    }
}
