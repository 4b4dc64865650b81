// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Console
import GateReport
import GateTrial
import Glibc
import LabRuns
import Proximity
import Reader
import System

/// `readerlab gate`: the proximity gate on recorded signal strengths.
struct GateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gate",
        abstract: "Judge the proximity gate by recorded signal strengths.",
        discussion: """
            Reads files of traces, and has the reader's own gate decide in window after window. Prints in how many it \
            opens, with an interval of 95 % that counts traces, not windows: windows of one trace are alike.

              readerlab gate lab/Traces/*.csv
              readerlab gate lab/Traces/mitll-static-nrf52.csv --by part2 --samples 5
              readerlab gate my-site.csv --calibrate --near 1.2 --share 98

            A file has the columns \(RSSITrace.header). With --calibrate, the threshold that opens for the near is \
            sought on four traces of five and judged by the fifth. docs/operate/gate.md says what the figures mean, \
            and where \
            the traces are from.
            """)

    @Argument(help: ArgumentHelp("Files of traces.", valueName: "FILE"))
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "Groups: distance, condition, trace, or part1, part2, … of a condition with parts. May be repeated.",
            valueName: "GROUP"), transform: GateReport.Division.init(named:))
    var by: [GateReport.Division] = [.distance]

    @OptionGroup var gate: GateOptions

    @Flag(help: "Seek the threshold for each file, and for each group of --by.")
    var calibrate = false

    @Flag(help: "Leave every fifth trace of a file out of the rates, and show its rate separately.")
    var keepAside = false

    @Option(help: "With --calibrate: up to how many metres a phone is near.")
    var near = 1.0

    @Option(help: "With --calibrate: the percentage of windows that have to open for the near.")
    var share = 95.0

    @Option(help: ArgumentHelp("Write the rows as comma-separated values.", valueName: "FILE"))
    var csv: String?

    @Option(help: ArgumentHelp("Write a picture of the rates over the distance, as SVG.", valueName: "FILE"))
    var plot: String?

    @Flag(help: "One JSON object instead of the table.")
    var json = false

    func validate() throws {
        try gate.validate()
        guard (0.01...1000).contains(near) else { throw ValidationError("--near is 0.01 to 1000 metres") }
        guard (1...100).contains(share) else { throw ValidationError("--share is 1 to 100 per cent") }
        guard !calibrate || !keepAside else {
            throw ValidationError("--calibrate keeps every fifth trace aside already; leave --keep-aside out")
        }
        guard !calibrate || csv == nil && plot == nil else {
            throw ValidationError("--calibrate has no rows for --csv and --plot; leave it out")
        }
    }

    func run() throws {
        var traces: [RSSITrace] = []
        for file in files { traces += try GateCommand.load(file) }
        guard !calibrate else {
            return try show(GateCalibration(traces, gate.trial, by: by, metres: near, share: share / 100))
        }
        try show(GateReport(traces, gate.trial, by: by, keepsAside: keepAside))
    }

    /// The name of a file in tables.
    static func name(of path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    static func load(_ path: String) throws(CommandError) -> [RSSITrace] {
        let name = name(of: path)
        return try InputFile.load(path, maximum: RSSITrace.maximumFileCount, "a file of traces") {
            octets throws(TraceFault) in try RSSITrace.parse(octets, source: name)
        }
    }

    private func show(_ report: GateReport) throws {
        if let csv { try ReportOptions.replace(csv, GateText.csv(report, by: by)) }
        if let plot { try ReportOptions.replace(plot, GatePlot.svg(report, title: gate.summary)) }
        let table =
            json
            ? [try GateJSON.text(report, gate)]
            : [gate.summary, ""] + GateText.lines(report, by: by, showsAside: keepAside)
        for line in table { ConsoleOutput.write(line, to: STDOUT_FILENO) }
    }

    private func show(_ calibration: GateCalibration) throws {
        let table =
            json ? [try GateJSON.text(calibration)] : GateText.lines(calibration, by: by, near: near, share: share)
        for line in table { ConsoleOutput.write(line, to: STDOUT_FILENO) }
    }

}

/// The parameters of the gate, with their names in readerd.toml, and the packets of the link.
struct GateOptions: ParsableArguments {
    @Option(help: "The gate's threshold for the median, as proximity.threshold-dbm.")
    var thresholdDbm = Int(ProximityGate.Configuration().threshold)

    @Option(help: "The window after connecting, as proximity.window-ms.")
    var windowMs = Int(ProximityGate.Configuration().window / .milliseconds(1))

    @Option(help: "The readings in the median, as proximity.samples.")
    var samples = ProximityGate.Configuration().samples

    @Option(help: "The connection interval in milliseconds.")
    var connectionMs = 30

    @Flag(help: "One recorded packet in each connection interval, for traces with fewer packets than a link has.")
    var packets = false

    func validate() throws {
        guard (-126 ... -1).contains(thresholdDbm) else { throw ValidationError("--threshold-dbm is -126 to -1") }
        guard (50...1000).contains(windowMs) else { throw ValidationError("--window-ms is 50 to 1000") }
        guard (1...ProximityGate.maximumSamples).contains(samples) else {
            throw ValidationError("--samples is 1 to \(ProximityGate.maximumSamples)")
        }
        guard (8...4000).contains(connectionMs) else { throw ValidationError("--connection-ms is 8 to 4000") }
    }

    /// The trial of a gate with these parameters.
    var trial: GateTrial {
        var gate = ProximityGate.Configuration()
        gate.threshold = Int8(thresholdDbm)
        (gate.window, gate.samples) = (.milliseconds(windowMs), samples)
        let interval = Duration.milliseconds(connectionMs)
        let pace =
            packets ? GateTrial.Pace.packets(connectionInterval: interval) : .recorded(connectionInterval: interval)
        return GateTrial(gate: gate, pace: pace)
    }

    /// The parameters in one line.
    var summary: String {
        "gate: median of \(samples) at \(thresholdDbm) dBm or better within \(windowMs) ms, "
            + (packets ? "a packet each \(connectionMs) ms" : "read each \(connectionMs) ms")
    }
}

extension GateReport.Division {
    /// Parses the name of a division.
    init(named name: String) throws {
        switch name {
        case "distance": self = .distance
        case "condition": self = .condition
        case "trace": self = .trace
        default:
            guard name.hasPrefix("part"), let number = Int(name.dropFirst(4)), number > 0 else {
                throw ValidationError("there is no group \(name.debugDescription); see --help")
            }
            self = .part(number)
        }
    }
}
