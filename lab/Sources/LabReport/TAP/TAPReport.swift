// SPDX-License-Identifier: Apache-2.0

/// A run in the Test Anything Protocol.
public enum TAPReport {
    /// A version of the protocol.
    public enum Version: Int, CaseIterable, Sendable {
        /// Flat: what Perl's prove and tap.py read.
        case thirteen = 13
        /// A subtest for each class.
        case fourteen = 14
    }

    /// The report. The plan is line 2: tap.py takes none after a comment.
    public static func text(_ run: LabRun, _ version: Version) -> String {
        let cases = run.uniqueCases
        var lines = ["TAP version \(version.rawValue)"]
        switch version {
        case .thirteen: lines += points(cases, "", named: { "\($0.className) \($0.name)" })
        case .fourteen: lines += subtests(cases)
        }
        // A run without cases is no success: its plan says so.
        if cases.isEmpty { lines[1] += " # SKIP no case was carried out" }
        if run.isInterrupted { lines.append("Bail out! A signal has ended the run before its end.") }
        return (lines + [""]).joined(separator: "\n")
    }

    private static func subtests(_ cases: [LabCase]) -> [String] {
        var classes: [String] = []
        var byClass: [String: [LabCase]] = [:]
        for one in cases {
            if byClass[one.className] == nil { classes.append(one.className) }
            byClass[one.className, default: []].append(one)
        }
        var lines = ["1..\(classes.count)"]
        for (index, name) in classes.enumerated() {
            let own = byClass[name] ?? []
            let isPassed = !own.contains { $0.result.isFailure }
            lines.append("# Subtest: \(escaped(name))")
            lines += points(own, "    ", named: \.name)
            lines.append("\(isPassed ? "ok" : "not ok") \(index + 1) - \(escaped(name))")
        }
        return lines
    }

    private static func points(_ cases: [LabCase], _ space: String, named: (LabCase) -> String) -> [String] {
        ["\(space)1..\(cases.count)"]
            + cases.enumerated().flatMap { index, one in
                var point = "\(one.result.isFailure ? "not ok" : "ok") \(index + 1) - \(escaped(named(one)))"
                if case .skipped(let why) = one.result { point += " # SKIP \(escaped(why))" }
                return ([point] + block(one)).map { space + $0 }
            }
    }

    /// The YAML block of a case, two spaces in; empty if it has nothing to say.
    private static func block(_ one: LabCase) -> [String] {
        var lines: [String] = []
        switch one.result {
        case .passed, .skipped: break
        case .failed(let type, let message, let text): lines += failure("fail", type, message, text)
        case .error(let type, let message, let text): lines += failure("error", type, message, text)
        }
        if !one.metrics.isEmpty {
            lines.append("metrics:")
            for metric in one.metrics {
                lines.append("  - name: \(quoted(metric.name))")
                lines.append("    value: \(quoted(metric.text))")
                if metric.interval != nil { lines.append("    interval: \(quoted(metric.intervalText))") }
                lines.append("    n: \(metric.count)")
            }
        }
        if !one.attachments.isEmpty {
            lines.append("attachments:")
            lines += one.attachments.map { "  - \(quoted($0))" }
        }
        return lines.isEmpty ? [] : ["  ---"] + lines.map { "  \($0)" } + ["  ..."]
    }

    private static func failure(_ severity: String, _ type: String, _ message: String, _ text: String) -> [String] {
        ["message: \(quoted(message))", "severity: \(severity)", "type: \(quoted(type))"]
            + (text.isEmpty ? [] : ["text: \(quoted(text))"])
    }

    /// A double-quoted scalar of YAML 1.2 on one line (section 7.3.1), which is JSON's but for more escapes.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                // Characters that YAML treats as not printable, or as line ends.
                let isPlain =
                    scalar.value >= 0x20 && !(0x7F...0xA0).contains(scalar.value)
                    && ![0x2028, 0x2029, 0xFEFF].contains(scalar.value) && scalar.value & 0xFFFE != 0xFFFE
                if isPlain { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
            }
        }
        return result + "\""
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let count = scalar.value > 0xFFFF ? 8 : 4
        return (count == 8 ? "\\U" : "\\u") + String(repeating: "0", count: count - digits.count) + digits
    }

    /// A description on one line: `#` would begin a directive, `\` an escape.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "#", "\\":
                result += "\\"
                result.unicodeScalars.append(scalar)
            default: result.unicodeScalars.append(scalar.value < 0x20 || scalar.value == 0x7F ? " " : scalar)
            }
        }
        return result
    }
}
