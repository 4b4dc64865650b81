// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Console
import Glibc
import JSON
import LabReport
import System

/// The reports of a run, for continuous integration and for people (docs/emulators/reports.md).
struct ReportOptions: ParsableArguments {
    @Flag(help: "One JSON object instead of text, of scenarios one a run.")
    var json = false

    @Option(help: ArgumentHelp("Write a JUnit report.", valueName: "FILE"))
    var junit: String?

    @Option(help: ArgumentHelp("Write one HTML page.", valueName: "FILE"))
    var report: String?

    @Option(help: ArgumentHelp("Compare with the figures of an earlier run: worse ones fail.", valueName: "FILE"))
    var baseline: String?

    @Option(help: ArgumentHelp("The change that is tolerated, in per cent.", valueName: "percent"))
    var tolerance = Int(BaselineComparison.tolerance * 100)

    @Option(help: ArgumentHelp("Write the figures, for --baseline of a later run.", valueName: "FILE"))
    var saveBaseline: String?

    func validate() throws {
        guard (0...1000).contains(tolerance) else { throw ValidationError("--tolerance is 0 to 1000 per cent") }
        for (number, output) in outputs.enumerated() {
            guard !outputs.prefix(number).contains(where: { $0.path == output.path }) else {
                throw ValidationError("\(output.option) \(output.path): two reports cannot be one file")
            }
            // Checked before the run, whose figures would be lost.
            let directory = DurableFile.directory(of: output.path)
            guard access(directory, W_OK | X_OK) == 0 else {
                throw ValidationError(
                    "\(output.option) \(output.path): cannot write in \(directory): "
                        + "\(String(cString: strerror(errno))); name a file in another folder")
            }
        }
    }

    /// True if a report or a comparison is requested.
    var isWanted: Bool { !outputs.isEmpty || baseline != nil }

    private var outputs: [(option: String, path: String)] {
        [("--junit", junit), ("--report", report), ("--save-baseline", saveBaseline)]
            .compactMap { option, path in path.map { (option, $0) } }
    }

    /// The baseline, which is read before the run so that an invalid file does not cost one.
    func former() throws(CommandError) -> Baseline? {
        guard let baseline else { return nil }
        return try InputFile.load(baseline, maximum: Baseline.maximumFileCount, "a file of --save-baseline") {
            octets throws(JSONPlaceFault) in try Baseline(json: octets)
        }
    }

    /// Judges a run by its limits and the baseline, writes the reports, and prints violations and the comparison to
    /// standard error. Returns false if the run has failed.
    func finish(_ run: LabRun, _ former: Baseline?) throws(CommandError) -> Bool {
        var run = run
        run.judgeLimits()
        let comparison = former.map { BaselineComparison(run, with: $0, tolerance: Double(tolerance) / 100) }
        if let comparison {
            run.cases += comparison.cases(run.suite, isWhole: !run.isInterrupted)
            show(comparison)
        }
        for case .failed(LabRun.limit, let message, _) in run.cases.lazy.map(\.result) { report(message) }
        try write(run, comparison)
        return run.isPassed
    }

    private func show(_ comparison: BaselineComparison) {
        for warning in comparison.warnings { report(warning) }
        for line in TextTable.aligned(comparison.rows, leading: 2) { ConsoleOutput.write(line, to: STDERR_FILENO) }
        report("against the baseline: \(comparison.summary)")
    }

    private func write(_ run: LabRun, _ comparison: BaselineComparison?) throws(CommandError) {
        if let junit { try ReportOptions.replace(junit, JUnitReport.text(run)) }
        if let report { try ReportOptions.replace(report, ReportPage.text(run, comparison: comparison)) }
        if let saveBaseline { try ReportOptions.replace(saveBaseline, Baseline(run).json) }
    }

    private func report(_ text: String) { ConsoleOutput.write("readerlab: \(text)", to: STDERR_FILENO) }

    /// Replaces a file as a whole.
    static func replace(_ path: String, _ text: String) throws(CommandError) {
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: Array(text.utf8)) } catch {
            throw .misuse("\(path): cannot write it: \(String(cString: strerror(error.errno)))")
        }
    }
}
