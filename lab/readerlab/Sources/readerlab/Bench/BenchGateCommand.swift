// SPDX-License-Identifier: Apache-2.0

import Proximity
import Statistics
import ArgumentParser
import GateReport
import GateTrial
import LabReport
import LabRuns
import Reader

/// `readerlab bench gate`.
struct BenchGateCommand: BenchReportCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "The default gate on recorded signal strengths: how often it opens, by distance.",
        discussion: """
            Has the reader's own gate, with the defaults of readerd, decide in window after window of each file, and \
            prints in how many it opens, with an interval of 95 % that counts traces, not windows. A file with fewer \
            packets than a link has is read packet by packet, one in each connection interval of 30 ms.

              readerlab bench gate lab/Traces/*.csv
              readerlab bench gate lab/Traces/*.csv --baseline former.json

            `readerlab gate` tries other gates and other groups. Equal files give equal figures.

            Exit code 0 if every file has windows and no figure is worse than that of --baseline (opening less often \
            below \(DecimalText.of(GateBench.farMetres, 0)) m, or more often beyond), else 1; 2 for wrong use.
            """)

    @Argument(help: ArgumentHelp("Files of traces.", valueName: "FILE"))
    var files: [String]

    @OptionGroup var reports: ReportOptions

    func run() throws {
        let former = try reports.former()
        let ending = try RunEnding()
        let gate = ProximityGate.Configuration()
        var benches: [GateBench] = []
        for (number, file) in files.enumerated() where !ending.look() {
            BenchProgress.show(number, of: files.count, file)
            benches.append(GateBench(GateCommand.name(of: file), try GateCommand.load(file), gate: gate))
        }
        BenchProgress.show(benches.count, of: benches.count, "")
        var run = BenchGateRuns.run(benches, gate, command: RepeatedCommand.text())
        run.isInterrupted = ending.isAsked
        try show(
            BenchGateText.lines(benches, gate), json: { BenchGateText.json(benches, gate) }, run, former)
    }
}
