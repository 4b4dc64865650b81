// SPDX-License-Identifier: Apache-2.0

import Statistics

/// A run as one HTML file: no script, no foreign address, and nothing that a mail would have to carry next to it.
public enum ReportPage {
    /// The cases that are listed besides those that failed: a browser shows as many at once.
    private static let listedCases = 2000
    /// The octets that are kept of a text or an output.
    private static let outputCount = 20_000

    /// The page.
    ///
    /// - Parameter comparison: the run compared with its baseline; nil without one.
    public static func text(_ run: LabRun, comparison: BaselineComparison? = nil) -> String {
        let cases = run.uniqueCases
        let failed = cases.filter(\.result.isFailure)
        var lines = head(run)
        lines += ["<h1>\(sign(run.isPassed)) \(text(verdict(run, failed.count)))</h1>"]
        if run.isInterrupted {
            lines.append("<p><strong>⚠ Interrupted:</strong> a signal has ended the run; what was done is here.</p>")
        }
        for warning in comparison?.warnings ?? [] { lines.append("<p><strong>⚠</strong> \(text(warning)).</p>") }
        lines += facts(run)
        if !failed.isEmpty {
            lines.append("<section><h2>Failures</h2>")
            for one in failed.prefix(listedCases) { lines += failure(one, isOpen: failed.count == 1) }
            if failed.count > listedCases { lines.append("<p>and \(failed.count - listedCases) more.</p>") }
            lines.append("</section>")
        }
        lines += FigureTables.lines(run, comparison)
        for plot in run.plots {
            lines += ["<figure>", plot.svg(for: .page), "<figcaption>\(text(plot.about))</figcaption>", "</figure>"]
            lines += table(plot.table)
        }
        for one in run.tables { lines += table(one) }
        lines += list(cases)
        return (lines + ["</main>", "</body>", "</html>", ""]).joined(separator: "\n")
    }

    private static func head(_ run: LabRun) -> [String] {
        [
            "<!DOCTYPE html>", "<html lang=\"en\">", "<head>", "<meta charset=\"utf-8\">",
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
                + "img-src data:\">",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
            "<meta name=\"color-scheme\" content=\"light dark\">", "<title>\(text(run.suite))</title>",
            "<style>", style, "</style>", "</head>", "<body>", "<main>",
        ]
    }

    private static func verdict(_ run: LabRun, _ failed: Int) -> String {
        let skipped = run.cases.count {
            if case .skipped = $0.result { true } else { false }
        }
        let left = skipped == 0 ? "" : ", \(skipped) skipped"
        return "\(run.suite): \(failed) failed of \(run.cases.count)\(left)"
    }

    private static func facts(_ run: LabRun) -> [String] {
        var facts = [LabRun.Fact("Version", run.version)]
        if let seed = run.seed { facts.append(.init("Seed", "\(seed)")) }
        if let occasion = run.occasion {
            facts += [
                .init("Time", occasion.timestamp), .init("Host", occasion.host), .init("Machine", occasion.machine),
            ]
        }
        facts += run.environment
        let rows = facts.map { "<dt>\(text($0.name))</dt><dd>\(text($0.value))</dd>" }
        return ["<dl>"] + rows + ["</dl>", "<p>Again: <code>\(text(run.command))</code></p>"]
    }

    /// A failure in two lines, which unfold to its text and output: each may fill several screens.
    private static func failure(_ one: LabCase, isOpen: Bool) -> [String] {
        var (message, more) = ("", "")
        switch one.result {
        case .failed(_, let line, let rest), .error(_, let line, let rest): (message, more) = (line, rest)
        case .passed, .skipped: break
        }
        let details = [more, one.output].filter { !$0.isEmpty }.map { Cut.text($0, outputCount) }
        let head = "<strong>\(sign(false)) \(text(one.className)) \(text(one.name))</strong><br>\(text(message))"
        let body =
            details.map { "<pre>\(text($0))</pre>" }
            + one.attachments.map { "<p>Attached: <code>\(text($0))</code></p>" }
        guard !body.isEmpty else { return ["<p class=\"failure\">\(head)</p>"] }
        return ["<details class=\"failure\"\(isOpen ? " open" : "")><summary>\(head)</summary>"] + body + ["</details>"]
    }

    private static func list(_ cases: [LabCase]) -> [String] {
        guard !cases.isEmpty else { return [] }
        let shown = cases.prefix(listedCases)
        let rows = shown.map { one -> [String] in
            let (mark, word): (String, String) =
                switch one.result {
                case .passed: ("✓", "passed")
                case .failed: ("✗", "failed")
                case .error: ("✗", "error")
                case .skipped(let why): ("–", "skipped: \(why)")
                }
            return ["\(mark) \(word)", one.className, one.name, DecimalText.of(one.seconds, 3)]
        }
        let left = cases.count - shown.count
        return ["<details><summary>All \(cases.count) cases</summary>"]
            + table(LabTable("Cases", ["result", "class", "name", "seconds"], rows))
            + (left > 0 ? ["<p>\(left) more are not listed here; the JUnit file has them.</p>"] : []) + ["</details>"]
    }

    /// A table that scrolls in its own frame, which the keyboard reaches.
    static func table(_ table: LabTable) -> [String] {
        let title = text(table.title)
        func row(_ cells: [String], _ tag: String) -> String {
            "<tr>" + cells.map { "<\(tag)>\(text($0))</\(tag == "th scope=\"col\"" ? "th" : tag)>" }.joined() + "</tr>"
        }
        return [
            "<div class=\"frame\" role=\"region\" aria-label=\"\(title)\" tabindex=\"0\">",
            "<table><caption>\(title)</caption>", "<thead>\(row(table.head, "th scope=\"col\""))</thead>", "<tbody>",
        ]
            + table.rows.map { row($0, "td") } + ["</tbody>", "</table>", "</div>"]
    }

    static func text(_ text: String) -> String { MarkupText.escaped(text) }

    private static func sign(_ isGood: Bool) -> String {
        isGood ? "<span class=\"good\">✓</span>" : "<span class=\"bad\">✗</span>"
    }

    private static let style = """
        :root { --ink: #1b1b1b; --ground: #ffffff; --faint: #595959; --line: #c8c8c8; --good: #00693e; --bad: #b3261e; }
        @media (prefers-color-scheme: dark) {
        :root { --ink: #ececec; --ground: #161616; --faint: #b0b0b0; --line: #4a4a4a; --good: #6fdc9c; --bad: #ff9a8f; }
        }
        * { box-sizing: border-box; }
        body { margin: 0; color: var(--ink); background: var(--ground); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 64rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
        h1 { font-size: 1.4rem; } h2 { font-size: 1.2rem; }
        .good { color: var(--good); } .bad { color: var(--bad); }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; } dd { margin: 0; }
        dt { color: var(--faint); }
        code, pre { font: 0.9rem/1.4 ui-monospace, monospace; } pre { white-space: pre-wrap; margin: 0.5rem 0; }
        .failure { border-left: 4px solid var(--bad); padding: 0 0 0 0.75rem; margin: 1rem 0; }
        .failure summary { font-weight: normal; } summary:focus-visible { outline: 2px solid var(--ink); }
        .frame { overflow-x: auto; margin: 1rem 0; } .frame:focus-visible { outline: 2px solid var(--ink); }
        table { border-collapse: collapse; overflow-wrap: normal; } caption { text-align: left; font-weight: bold; }
        th, td { text-align: left; padding: 0.2rem 1rem 0.2rem 0; border-bottom: 1px solid var(--line); }
        figure { margin: 1rem 0; } svg { width: 100%; height: auto; } figcaption { color: var(--faint); }
        summary { cursor: pointer; font-weight: bold; }
        """
}
