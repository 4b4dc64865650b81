// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Console
import Demo
import Emulation
import Glibc
import JSON
import LabReport
import LabRuns
import Scenario
import SharedAir
import System
import Timekeeping
import VirtualRadio

/// `readerlab scenario`.
struct ScenarioCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "People, a door and faults, from a file: what happens, and whether it was expected.",
        discussion: """
            The reader's whole stack, phones and a virtual air in this process, on a virtual clock. A run is named by \
            its file and its seed: the same two give the same events.

              readerlab scenario --list
              readerlab scenario morning-rush
              readerlab scenario pocket --seeds 100
              readerlab scenario --print power-cut > mine.json
              readerlab scenario mine.json --seed 7 --timeline
              readerlab scenario --swarm 1000
              readerlab scenario two-at-once --air virtual --air rootcanal:unix:/tmp/radio

            --swarm makes scenarios from seeds: some kinds of trouble in each, which all end; then a good phone has \
            to open. A run that breaks a rule of the door is made smaller and written to a file.

            --air plays it on RootCanal's controllers (rootcanal:PLACE, the control port of python -m rig.radio) or \
            on others behind transports (hci:NAME,NAME, the readers' first), in real time; of several airs a table \
            tells what differed.

            docs/emulators/scenarios.md says what stands in a file. Exit code 0 if everything was as expected, 1 if \
            not, 2 if \
            the command or the file is wrong.
            """)

    @Argument(help: "A scenario of --list, or a file.")
    var scenario: String?

    @Flag(help: "List the scenarios of the library.")
    var list = false

    @Option(help: ArgumentHelp("Write this scenario as a file, to begin with.", valueName: "name"))
    var print: String?

    @Option(help: ArgumentHelp("This many scenarios made from seeds; 200 or more reach all faults.", valueName: "runs"))
    var swarm: Int?

    @Option(help: ArgumentHelp("Write the scenario that a swarm makes from a seed.", valueName: "seed"))
    var printSwarm: UInt64?

    @Option(help: ArgumentHelp("The time in which a swarm's good phone has to open.", valueName: "ms"))
    var withinMs = Int(Swarm.patience.wholeMilliseconds)

    @Option(help: ArgumentHelp("The new file for a swarm that fails (default: swarm-SEED.json).", valueName: "file"))
    var output: String?

    @Option(help: "The seed of the first run.")
    var seed: UInt64 = 1

    @Option(help: "The number of runs, each with the next seed.")
    var seeds = 1

    @Option(
        help: ArgumentHelp(
            "virtual, rootcanal:PLACE or hci:NAME,NAME,…; may be repeated, to compare.", valueName: "air"),
        transform: ScenarioAir.init)
    var air: [ScenarioAir] = []

    @Flag(help: "All events of the first run that is not as expected, else of the last.")
    var timeline = false

    @Option(help: ArgumentHelp("Write the packets of the run as pcapng, for Wireshark.", valueName: "file"))
    var capture: String?

    @OptionGroup var reports: ReportOptions

    func validate() throws {
        let writes = list || print != nil || printSwarm != nil
        guard !writes || !reports.isWanted else { throw ValidationError("reports are of runs: name a scenario") }
        guard (1...1_000_000).contains(seeds) else { throw ValidationError("--seeds is 1 to 1000000") }
        guard (1...1_000_000).contains(swarm ?? 1) else { throw ValidationError("--swarm is 1 to 1000000") }
        guard (1...3_600_000).contains(withinMs) else { throw ValidationError("--within-ms is 1 to 3600000") }
        let wants = [scenario != nil, list, print != nil, swarm != nil, printSwarm != nil].count { $0 }
        guard wants == 1 else {
            throw ValidationError("name one scenario or file, or give --list, --print NAME, --swarm or --print-swarm")
        }
        if swarm != nil, seeds != 1 || timeline { throw ValidationError("--swarm takes no --seeds and no --timeline") }
        guard capture == nil || scenario != nil && seeds == 1 else {
            throw ValidationError("--capture is of one run: name a scenario, without --seeds")
        }
        try validateAirs()
        if swarm == nil, output != nil { throw ValidationError("--output is for --swarm") }
    }

    func run() throws {
        if list { return listLibrary() }
        if let print {
            guard let entry = ScenarioLibrary.entry(print) else { throw ScenarioCommand.unknown(print) }
            return ConsoleOutput.write(entry.json, to: STDOUT_FILENO)
        }
        if let printSwarm {
            let scenario = Swarm(seed: printSwarm, patience: .milliseconds(withinMs)).scenario
            WholeWrite.write(scenario.json, to: STDOUT_FILENO)
            return
        }
        if let swarm { return try run(swarm) }
        let loaded = try ScenarioCommand.load(scenario ?? "")
        if air.count > 1 { return try compare(loaded, named: scenario ?? "") }
        try carryOut(loaded, named: scenario ?? "")
    }

    private func carryOut(_ scenario: SiteScenario, named name: String) throws {
        let air = air.first ?? .virtual
        let former = try former()
        let file = try captureFile()
        let ending = try RunEnding()
        var summary = ScenarioSummary(scenario)
        var cases: [LabCase] = []
        for number in 0..<UInt64(seeds) where !ending.look() {
            let run = try play(
                scenario, seed: seed &+ number, on: air, capture: file == nil ? nil : blank(scenario, name))
            try write(run.captured, to: file)
            summary.add(run)
            if reports.isWanted { cases.append(ScenarioRuns.of(run, scenario, named: name)) }
            if reports.json {
                ConsoleOutput.write(
                    ScenarioText.json(run, of: scenario, named: name, on: air), to: STDOUT_FILENO)
            }
        }
        if !reports.json {
            if timeline, let run = summary.shown {
                (TimelineTable.lines(run.timeline) + [""]).forEach { ConsoleOutput.write($0, to: STDOUT_FILENO) }
            }
            for line in ScenarioText.lines(summary, named: name, on: air) {
                ConsoleOutput.write(line, to: STDOUT_FILENO)
            }
            for line in air.differences(scenario) { ConsoleOutput.write("\(air.name): \(line)", to: STDOUT_FILENO) }
            ConsoleOutput.write(ScenarioText.cost(summary), to: STDERR_FILENO)
        }
        var run = ScenarioRuns.run(summary, cases, named: name, seed: seed)
        run.isInterrupted = ending.isAsked
        if try !finish(run, former) || !summary.isAsExpected { throw ExitCode(1) }
    }

    /// The previous figures, read before the run.
    func former() throws -> Baseline? {
        do throws(CommandError) { return try reports.former() } catch { throw ScenarioCommand.misuse(error.text) }
    }

    private func captureFile() throws -> AirCaptureFile? {
        guard let capture else { return nil }
        do throws(CommandError) { return try AirCaptureFile(capture) } catch {
            throw ScenarioCommand.misuse(error.text)
        }
    }

    /// An empty capture whose comment names the run.
    private func blank(_ scenario: SiteScenario, _ name: String) -> AirCapture {
        AirCaptureFile.capture(
            of: "readerlab scenario \(name) --seed \(seed)",
            epochAtOrigin: scenario.start.epochSeconds * 1_000_000_000)
    }

    private func write(_ captured: [UInt8], to file: AirCaptureFile?) throws {
        do throws(CommandError) { try file?.write(captured) } catch { throw ScenarioCommand.misuse(error.text) }
    }

    /// Writes the reports; false if the run has failed.
    func finish(_ run: LabRun, _ former: Baseline?) throws -> Bool {
        do throws(CommandError) { return try reports.finish(run, former) } catch {
            throw ScenarioCommand.misuse(error.text)
        }
    }

    private func listLibrary() {
        let width = ScenarioLibrary.all.map(\.name.count).max() ?? 0
        for entry in ScenarioLibrary.all {
            let about = (try? SiteScenario(json: Array(entry.json.utf8)))?.about ?? ""
            ConsoleOutput.write("\(TextColumn.padded(entry.name, width))  \(about)", to: STDOUT_FILENO)
        }
    }

    private static func unknown(_ name: String) -> ExitCode {
        misuse("there is no scenario \(name.debugDescription); see: readerlab scenario --list")
    }

    /// Loads a scenario of the library or a file.
    static func load(_ name: String) throws -> SiteScenario {
        if let entry = ScenarioLibrary.entry(name) { return try SiteScenario(json: Array(entry.json.utf8)) }
        guard name.contains("/") || name.contains(".") else { throw ScenarioCommand.unknown(name) }
        do throws(CommandError) {
            return try InputFile.load(name, maximum: SiteScenario.maximumFileCount, "a scenario file") {
                octets throws(JSONPlaceFault) in try SiteScenario(json: octets)
            }
        } catch {
            throw ScenarioCommand.misuse(error.text)
        }
    }

    /// An error of the command or the file, in one line.
    static func misuse(_ text: String) -> ExitCode {
        ConsoleOutput.write("readerlab scenario: \(text)", to: STDERR_FILENO)
        return ExitCode(2)
    }
}
