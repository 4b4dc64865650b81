// SPDX-License-Identifier: Apache-2.0

/// A run as JUnit XML that Jenkins' schema takes (`junit-10.xsd` of its xunit plugin), with the subset that GitLab
/// reads.
///
/// Figures are properties of the suite, `CASE/FIGURE`, since the schema allows none in a case. The message of a failure
/// is in its attribute, for Jenkins, and in its content, for GitLab. An attachment is `[[ATTACHMENT|path]]` on a
/// separate line.
public enum JUnitReport {
    /// The limit of GitLab's parser is 30 MB for a file; this is less, whichever megabytes it counts.
    public static let maximumCount = 29_000_000
    /// The octets that are kept of a message, and of a name: more is an output.
    private static let lineCount = 1000
    /// The octets reserved for the markup around the cases, properties included.
    private static let frameCount = 1_000_000

    /// The report.
    public static func text(_ run: LabRun) -> String {
        let cases = run.uniqueCases
        let cut = Cut(cases.map { size($0) }, cases.map { $0.result.isFailure }, in: maximumCount - frameCount)
        let kept = zip(cases, cut.isKept).filter(\.1).map(\.0)
        let counts = counts(kept)
        let time = time(kept.reduce(0) { $0 + $1.seconds })
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites name=\"\(attribute("readerlab"))\" \(counts.all) time=\"\(time)\">",
            "  <testsuite name=\"\(attribute(run.suite))\" \(counts.all) skipped=\"\(counts.skipped)\" time=\"\(time)\""
                + (run.occasion.map {
                    " timestamp=\"\(attribute($0.timestamp))\" hostname=\"\(attribute($0.host))\""
                } ?? "") + ">",
        ]
        lines += properties(run, leftOut: cases.count - kept.count)
        for one in kept { lines += testcase(one, outputCount: cut.outputCount) }
        return (lines + ["  </testsuite>", "</testsuites>", ""]).joined(separator: "\n")
    }

    private static func counts(_ cases: [LabCase]) -> (all: String, skipped: Int) {
        var (failures, errors, skipped) = (0, 0, 0)
        for one in cases {
            switch one.result {
            case .passed: break
            case .failed: failures += 1
            case .error: errors += 1
            case .skipped: skipped += 1
            }
        }
        return ("tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(errors)\"", skipped)
    }

    private static func properties(_ run: LabRun, leftOut: Int) -> [String] {
        var facts = [LabRun.Fact("version", run.version), .init("command", run.command)]
        if let seed = run.seed { facts.append(.init("seed", "\(seed)")) }
        if let occasion = run.occasion { facts.append(.init("machine", occasion.machine)) }
        facts += run.environment
        if run.isInterrupted { facts.append(.init("interrupted", "true")) }
        if leftOut > 0 { facts.append(.init("cases-left-out", "\(leftOut)")) }
        facts += run.figures.map { name, metric in .init(name, metric.text) }
        var (lines, count) = (["    <properties>"], 0)
        for (index, fact) in facts.enumerated() {
            let line = "      <property name=\"\(attribute(fact.name))\" value=\"\(attribute(fact.value))\"/>"
            count += line.utf8.count + 1
            guard count < frameCount - 2000 else {
                lines.append("      <property name=\"properties-left-out\" value=\"\(facts.count - index)\"/>")
                break
            }
            lines.append(line)
        }
        return lines + ["    </properties>"]
    }

    private static func testcase(_ one: LabCase, outputCount: Int) -> [String] {
        let head =
            "    <testcase classname=\"\(attribute(one.className))\" name=\"\(attribute(one.name))\" "
            + "time=\"\(time(one.seconds))\""
        var lines: [String] = []
        switch one.result {
        case .passed: break
        case .failed(let type, let message, let text):
            lines.append(element("failure", type, message, text, outputCount))
        case .error(let type, let message, let text): lines.append(element("error", type, message, text, outputCount))
        case .skipped(let why): lines.append(element("skipped", "skipped", why, "", outputCount))
        }
        let output = Cut.text(one.output, outputCount)
        let attachments = one.attachments.map { "[[ATTACHMENT|\($0)]]" }
        if !output.isEmpty || !attachments.isEmpty {
            let all = (output.isEmpty ? [] : [output]) + attachments
            lines.append("      <system-out>\(MarkupText.escaped(all.joined(separator: "\n")))\n</system-out>")
        }
        return lines.isEmpty ? [head + "/>"] : [head + ">"] + lines + ["    </testcase>"]
    }

    private static func element(
        _ name: String, _ type: String, _ message: String, _ text: String, _ outputCount: Int
    ) -> String {
        let text = Cut.text(text, outputCount)
        let content = Cut.text(message, lineCount) + (text.isEmpty ? "" : "\n" + text)
        return "      <\(name) type=\"\(attribute(type))\" message=\"\(attribute(message))\">"
            + "\(MarkupText.escaped(content))</\(name)>"
    }

    private static func attribute(_ text: String) -> String { MarkupText.attribute(Cut.text(text, lineCount)) }

    /// Seconds with three decimals: the schema's pattern has no exponent and no sign.
    private static func time(_ seconds: Double) -> String {
        let thousandths = (max(0, seconds.isFinite ? seconds : 0) * 1000).rounded()
        let whole = UInt64(min(thousandths, 1e15))
        let rest = "\(whole % 1000)"
        return "\(whole / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }

    /// The octets of a case as written: at most `fixed` without its outputs, and so many of them. Escapes may take six
    /// for one.
    private static func size(_ one: LabCase) -> Cut.Size {
        func written(_ text: String, _ limit: Int = .max) -> Int {
            min(text.utf8.reduce(0) { $0 + Cut.width($1) }, limit == .max ? .max : limit * Cut.widest + Cut.noticeCount)
        }
        var fixed = 120 + written(one.className, lineCount) + written(one.name, lineCount)
        var output = written(one.output)
        switch one.result {
        case .passed: break
        case .failed(let type, let message, let text), .error(let type, let message, let text):
            fixed += 80 + written(type, lineCount) + 2 * written(message, lineCount)
            output += written(text)
        case .skipped(let why): fixed += 80 + 2 * written(why, lineCount)
        }
        fixed += one.attachments.reduce(0) { $0 + 20 + written($1) }
        if !one.output.isEmpty || !one.attachments.isEmpty { fixed += 60 }
        return Cut.Size(fixed: fixed, output: output)
    }
}
