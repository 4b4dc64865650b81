// SPDX-License-Identifier: Apache-2.0

package import Console
package import Emulation
import LabReport
import Reader
import System

/// The findings of a run for a build server: as JUnit XML, and as the exit code.
package struct EmulationVerdict {
    /// The exit code of a run with findings, with `--fail-on-findings`.
    package static let findings: Int32 = 3

    /// The file for the JUnit XML.
    package let junit: String?
    /// True to fail a run with findings.
    package let failsOnFindings: Bool

    package init(junit: String?, failsOnFindings: Bool) {
        self.junit = junit
        self.failsOnFindings = failsOnFindings
    }

    private var file: EmulationReportFile? { junit.map { EmulationReportFile(path: $0, content: "the JUnit XML") } }

    /// Verifies that the file can be written.
    package func check() throws(CommandError) { try file?.check() }

    /// Writes the findings of a run with so many devices.
    package func write(_ timeline: Timeline, devices: Int) throws(CommandError) {
        guard let file else { return }
        // The kind of device, as `emulate reader`: no option, which may be a passcode.
        let command = CommandLine.arguments.dropFirst().prefix(2).joined(separator: " ")
        try file.write(JUnitReport.text(EmulationVerdict.run(timeline, devices: devices, command)))
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
    static func run(_ timeline: Timeline, devices: Int, _ command: String) -> LabRun {
        var run = LabRun(suite: command, version: FirmwareVersion.text, command: "readerlab \(command)")
        for device in 0..<devices {
            let className = command.replacing(" ", with: ".") + (devices > 1 ? ".device-\(device + 1)" : "")
            let found = timeline.findings.filter { ($0.device ?? 0) == device }
            if found.isEmpty { run.cases.append(LabCase(className, "no findings")) }
            run.cases += found.map { finding in
                let place = "entry \(finding.entry)" + (finding.link.map { ", link \($0)" } ?? "")
                return LabCase(
                    className, finding.rule, .failed(type: finding.rule, message: finding.sentence, text: place))
            }
        }
        return run
    }
}
