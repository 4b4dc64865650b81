// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import LabReport
import LabRuns
import Scenario
import System
import Timekeeping

/// `readerlab scenario --swarm`.
extension ScenarioCommand {
    func run(_ count: Int) throws {
        if let output, access(output, F_OK) == 0 {
            throw ScenarioCommand.misuse("\(output) exists already; name a new file with --output")
        }
        let former = try former()
        let ending = try RunEnding()
        var cases: [LabCase] = []
        let patience = Duration.milliseconds(withinMs)
        var runs = SwarmRuns(first: seed, patience: patience)
        for number in 0..<UInt64(count) where !ending.look() {
            let swarm = Swarm(seed: seed &+ number, patience: patience)
            let run = try swarm.run()
            let reached = swarm.reached(in: run)
            runs.add(run, reached)
            if reports.isWanted { cases.append(ScenarioRuns.of(run, swarm, reached)) }
            if reports.json { ConsoleOutput.write(SwarmText.json(run, swarm, reached), to: STDOUT_FILENO) }
            runs.showProgress(of: count)
        }
        // With --json, standard output contains only the runs.
        let told = reports.json ? STDERR_FILENO : STDOUT_FILENO
        for line in (reports.json ? SwarmText.missing(runs) : SwarmText.lines(runs)) + SwarmText.failed(runs) {
            ConsoleOutput.write(line, to: told)
        }
        ConsoleOutput.write(SwarmText.cost(runs), to: STDERR_FILENO)
        if let failing = runs.failed.first {
            let file = try shrink(Swarm(seed: failing, patience: patience), patience, told)
            if let index = cases.firstIndex(where: \.result.isFailure) {
                cases[index].attachments = file.map { [$0] } ?? []
            }
        }
        var run = ScenarioRuns.run(runs, cases)
        run.isInterrupted = ending.isAsked
        if try !finish(run, former) || !runs.failed.isEmpty || !runs.missing.isEmpty { throw ExitCode(1) }
    }

    /// Reduces a failing scenario. Returns its file; nil if it did not fail again.
    private func shrink(_ swarm: Swarm, _ patience: Duration, _ told: CInt) throws -> String? {
        guard let failure = try SwarmFailure(swarm, patience: patience) else {
            ConsoleOutput.write("seed \(swarm.seed) failed once and not again; please report it", to: told)
            return nil
        }
        let file = try write(failure)
        for line in SwarmText.repeated(failure, in: file) { ConsoleOutput.write(line, to: told) }
        return file
    }

    /// Writes the reduced scenario to a new file: `--output`, or a file in the working directory.
    private func write(_ failure: SwarmFailure) throws -> String {
        let seed = failure.swarm.seed
        let names = output.map { [$0] } ?? ["swarm-\(seed).json"] + (2...99).map { "swarm-\(seed)-\($0).json" }
        for name in names {
            let file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
            if file < 0, errno == EEXIST, output == nil { continue }
            let code = file < 0 ? errno : WholeWrite.write(failure.scenario.json, to: file)
            if file >= 0 { close(file) }
            guard code == 0 else {
                throw ScenarioCommand.misuse(
                    "\(name): cannot write it: \(String(cString: strerror(code))); name another file with --output")
            }
            return name
        }
        throw ScenarioCommand.misuse("swarm-\(seed).json to swarm-\(seed)-99.json exist; use --output")
    }
}
