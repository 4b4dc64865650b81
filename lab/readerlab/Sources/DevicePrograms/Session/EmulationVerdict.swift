// SPDX-License-Identifier: Apache-2.0

package import Commands
package import Emulation
package import JSON
import LabReport
import Octets
import Reader
import System

/// The findings of a run for a build server and for people: as JUnit XML, as a page, and as the exit code.
package struct EmulationVerdict {
    /// The exit code of a run with findings, with `--fail-on-findings`.
    package static let findings: Int32 = 3

    /// The file for the JUnit XML.
    package let junit: String?
    /// True to fail a run with findings.
    package let failsOnFindings: Bool
    /// The file for the page.
    private let report: String?
    /// The transcript's file, which the reports name.
    private let transcript: String?

    /// The number of entries before a finding that a report shows with it.
    private static let context = 12
    /// The number of entries of the page's timeline; the transcript has all.
    private static let shownEntries = 1000

    package init(junit: String?, failsOnFindings: Bool, report: String? = nil, transcript: String? = nil) {
        self.junit = junit
        self.failsOnFindings = failsOnFindings
        self.report = report
        self.transcript = transcript
    }

    private var file: EmulationReportFile? { junit.map { EmulationReportFile(path: $0, content: "the JUnit XML") } }
    private var page: EmulationReportFile? { report.map { EmulationReportFile(path: $0, content: "the page") } }

    /// Verifies that the files can be written.
    package func check() throws(CommandError) {
        try file?.check()
        try page?.check()
    }

    /// Writes the findings of a run with these devices.
    package func write(_ timeline: Timeline, _ devices: [JSONObject]) throws(CommandError) {
        guard file != nil || page != nil else { return }
        // The kind of device, as `emulate reader`.
        let suite = CommandLine.arguments.dropFirst().prefix(2).joined(separator: " ")
        var run = EmulationVerdict.run(
            timeline, devices: devices.count, suite, again: RepeatedCommand.text(CommandLine.arguments))
        if let transcript { for index in run.cases.indices { run.cases[index].attachments = [transcript] } }
        try file?.write(JUnitReport.text(run))
        run.tables = [EmulationVerdict.table(timeline)]
        try page?.write(ReportPage.text(run))
    }

    /// The last entries of a run.
    static func table(_ timeline: Timeline) -> LabTable {
        let rows = timeline.entries.suffix(shownEntries).map { entry in
            [
                "\(entry.number)", TextColumn.seconds(entry.at), entry.device.map { "\($0 + 1)" } ?? "",
                entry.link.map { "\($0)" } ?? "", entry.sentence.printable,
            ]
        }
        return LabTable("Timeline", ["entry", "seconds", "device", "link", "what happened"], Array(rows))
    }

    /// Throws an error with the code `findings` if the run has to fail.
    package func judge(_ timeline: Timeline) throws(CommandError) {
        let count = timeline.findings.count
        guard failsOnFindings, count > 0 else { return }
        throw CommandError(
            code: EmulationVerdict.findings,
            text: "the app got something wrong: \(count) \(count == 1 ? "finding" : "findings"), see above")
    }

    /// One failed case per finding; one passed case for each device without findings.
    static func run(_ timeline: Timeline, devices: Int, _ command: String, again: String? = nil) -> LabRun {
        var run = LabRun(suite: command, version: FirmwareVersion.text, command: again ?? "readerlab \(command)")
        let lines = TimelineText(hasColour: false, hasDevices: devices > 1)
        for device in 0..<devices {
            let className = command.replacing(" ", with: ".") + (devices > 1 ? ".device-\(device + 1)" : "")
            let found = timeline.findings.filter { ($0.device ?? 0) == device }
            if found.isEmpty { run.cases.append(LabCase(className, "no findings")) }
            run.cases += found.map { finding in
                let place = "entry \(finding.entry)" + (finding.link.map { ", link \($0)" } ?? "")
                var one = LabCase(
                    className, finding.rule, .failed(type: finding.rule, message: finding.sentence, text: place))
                // The entries up to the one that shows it, of its link.
                one.output = timeline.entries.prefix(finding.entry)
                    .filter { entry in
                        if case .finding = entry.event { return false }
                        return entry.link == nil || finding.link == nil || entry.link == finding.link
                    }
                    .suffix(context).map(lines.line).joined(separator: "\n")
                return one
            }
        }
        return run
    }
}
