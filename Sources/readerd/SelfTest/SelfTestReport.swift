import JSON
import Reader

/// The parts of `readerd self-test`, in the order of the report.
enum SelfTestPart: String, CaseIterable {
    /// The Bluetooth controller answers, and can do what the configuration needs.
    case controller
    /// Each configured mode goes on the air.
    case advertising
    /// The NFC front end answers.
    case nfc
    /// The configured lines are there and free.
    case gpio
    /// The reader's identity and the keys can be used.
    case keys
    /// The state directory can be written, and the event log is sound at its end.
    case disk
    /// The clock is set.
    case clock
}

/// The outcome of one part.
enum SelfTestOutcome: Equatable {
    /// It works; what it is, in words.
    case ok(String)
    /// It does not; what is wrong and what to do.
    case failed(String)
    /// There is nothing that could work or not.
    case notConfigured(String)

    /// The word in the table.
    var word: String {
        switch self {
        case .ok: "ok"
        case .failed: "failed"
        case .notConfigured: "not configured"
        }
    }

    /// The word in JSON.
    var name: String { self == .notConfigured(detail) ? "not-configured" : word }

    /// In words.
    var detail: String {
        switch self {
        case .ok(let text), .failed(let text), .notConfigured(let text): text
        }
    }

    var hasFailed: Bool { self == .failed(detail) }
}

/// The findings of a self-test.
struct SelfTestReport: Equatable {
    /// One part.
    struct Row: Equatable {
        /// The part; `reader` for a running reader as a whole.
        var name: String
        var outcome: SelfTestOutcome

        /// A line of the table. The widths are fixed, so that a line can be shown as soon as it is known.
        var line: String {
            SelfTestReport.padded(name, SelfTestReport.nameWidth) + "  "
                + SelfTestReport.padded(outcome.word, SelfTestReport.wordWidth) + "  "
                + EventLine.printable(outcome.detail)
        }
    }

    private static let nameWidth = SelfTestPart.allCases.map(\.rawValue.count).max() ?? 0
    private static let wordWidth = SelfTestOutcome.notConfigured("").word.count

    /// A running reader was asked, instead of trying the parts.
    var isOfRunningReader = false
    var rows: [Row] = []

    /// Adds a part, and returns its line.
    @discardableResult mutating func add(_ name: String, _ outcome: SelfTestOutcome) -> String {
        let row = Row(name: name, outcome: outcome)
        rows.append(row)
        return row.line
    }

    var isGood: Bool { !rows.contains { $0.outcome.hasFailed } }

    /// The program's exit status.
    var exitCode: Int32 { isGood ? 0 : 1 }

    /// The report as one object of JSON.
    var json: String {
        var report = JSONObject()
        report.add("ok", isGood)
        report.add("version", FirmwareVersion.text)
        report.add("reader-runs", isOfRunningReader)
        let parts = rows.map { row -> JSONObject in
            var part = JSONObject()
            part.add("part", row.name)
            part.add("result", row.outcome.name)
            part.add("detail", row.outcome.detail)
            return part
        }
        report.add("parts", parts)
        return report.text
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
