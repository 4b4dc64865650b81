// SPDX-License-Identifier: Apache-2.0

import Statistics

/// The figures of a run as tables: estimates with their intervals and changes, and those with a bound.
enum FigureTables {
    static func lines(_ run: LabRun, _ comparison: BaselineComparison?) -> [String] {
        let figures = run.figures
        guard !figures.isEmpty else { return [] }
        let head = ["figure", "estimate", "95 %", "n"] + (comparison == nil ? [] : ["change against the baseline"])
        let rows = figures.map { name, metric in
            [name, metric.text, metric.intervalText, "\(metric.count)"]
                + (comparison.map { [change($0[name])] } ?? [])
        }
        let limited = figures.filter { $0.metric.limit != nil }.map { name, metric in
            [metric.isWithinLimit ? "✓ kept" : "✗ missed", name, metric.limitText, metric.text]
        }
        return
            (limited.isEmpty
            ? [] : ReportPage.table(LabTable("Bounds", ["", "figure", "wanted", "measured"], limited)))
            + ReportPage.table(LabTable("Figures", head, rows))
    }

    private static func change(_ change: BaselineComparison.Change?) -> String {
        guard let change else { return "– new" }
        switch change.verdict {
        case .better: return "▲ better: \(change.text)"
        case .worse: return "▼ worse: \(change.text)"
        case .same: return "= \(change.text)"
        case .unjudged: return "? \(change.text), no interval"
        }
    }
}
