// SPDX-License-Identifier: Apache-2.0

extension BaselineComparison {
    /// The figures with their changes, worst first, below a head: for a terminal.
    public var rows: [[String]] {
        func changed(_ verdict: Change.Verdict) -> [[String]] {
            changes.filter { $0.verdict == verdict }.map { change in
                [
                    verdict.words, change.name, LabMetric.text(change.former, change.unit),
                    LabMetric.text(change.now, change.unit), change.text,
                ]
            }
        }
        return [["verdict", "figure", "baseline", "now", "change (95 %)"]] + changed(.worse)
            + missing.map { ["gone", $0.name, LabMetric.text($0.value, $0.unit), "-", "-"] } + changed(.better)
            + added.map { ["new", $0.name, "-", $0.metric.text, "-"] } + changed(.same) + changed(.unjudged)
    }

    /// The number of figures with each verdict: `1 worse, 2 better, 5 within noise`.
    public var summary: String {
        let counts: [(String, Int)] =
            [("worse", count(.worse)), ("gone", missing.count), ("better", count(.better)), ("new", added.count)]
            + [Change.Verdict.same, .unjudged].map { ($0.words, count($0)) }
        let parts = counts.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }
        return parts.isEmpty ? "no figures" : parts.joined(separator: ", ")
    }

    private func count(_ verdict: Change.Verdict) -> Int { changes.count { $0.verdict == verdict } }
}

extension BaselineComparison.Change.Verdict {
    /// The verdict in words.
    var words: String {
        switch self {
        case .better: "better"
        case .worse: "worse"
        case .same: "within noise"
        case .unjudged: "no interval"
        }
    }
}
