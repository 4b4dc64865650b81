// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import LabReport
import LabRuns
import Reader
import Scenario
import VirtualRadio

/// `readerlab scenario --air`: the same scenario on other airs.
extension ScenarioCommand {
    func validateAirs() throws {
        guard !air.isEmpty else { return }
        guard scenario != nil else { throw ValidationError("--air is for a scenario: name one") }
        guard Set(air.map(\.name)).count == air.count else { throw ValidationError("each --air once") }
        guard !timeline || air.count == 1 else { throw ValidationError("--timeline is of one --air") }
        guard capture == nil || air == [.virtual] else { throw ValidationError("--capture is of the virtual air") }
    }

    /// Plays a run on an air. `capture` is for the virtual air.
    ///
    /// - Throws: the exit code, after printing the reason.
    func play(
        _ scenario: SiteScenario, seed: UInt64, on air: ScenarioAir, capture: AirCapture? = nil
    ) throws -> SiteRun {
        guard air != .virtual else { return try SiteRun(scenario, seed: seed, capture: capture) }
        guard scenario.cards.isEmpty else {
            throw ScenarioCommand.misuse("--air \(air.name) has no NFC field: remove \"cards\", or use --air virtual")
        }
        do {
            return try LiveScenario.run(scenario, seed: seed, on: air)
        } catch let error as CommandError {
            ConsoleOutput.write("readerlab scenario: \(error.text)", to: STDERR_FILENO)
            throw ExitCode(error.code)
        }
    }

    /// Plays the scenario on each air, with all seeds on the virtual air and the first on others, and compares them.
    func compare(_ scenario: SiteScenario, named name: String) throws {
        let former = try former()
        let ending = try RunEnding()
        var comparison = AirComparison(scenario, air)
        var cases: [LabCase] = []
        for (index, air) in air.enumerated() {
            for number in 0..<UInt64(air == .virtual ? seeds : 1) where !ending.look() {
                let run = try play(scenario, seed: seed &+ number, on: air)
                comparison.columns[index].runs.append(run)
                if reports.isWanted {
                    var one = ScenarioRuns.of(run, scenario, named: name)
                    one.name += " on \(air.name)"
                    cases.append(one)
                }
                if reports.json {
                    ConsoleOutput.write(
                        ScenarioText.json(run, of: scenario, named: name, on: air), to: STDOUT_FILENO)
                }
            }
        }
        guard comparison.columns.allSatisfy({ !$0.runs.isEmpty }) else { throw ExitCode(1) }
        if reports.json {
            ConsoleOutput.write(comparison.json(named: name), to: STDOUT_FILENO)
        } else {
            for line in comparison.lines(named: name) { ConsoleOutput.write(line, to: STDOUT_FILENO) }
        }
        var run = LabRun(
            suite: "scenario \(name)", version: FirmwareVersion.text, command: RepeatedCommand.text(), seed: seed)
        run.environment = [.init("scenario", name), .init("airs", air.map(\.name).joined(separator: ", "))]
        run.cases = cases
        run.tables = [LabTable("Airs", comparison.rows)]
        run.isInterrupted = ending.isAsked
        if try !finish(run, former) || !comparison.isAsExpected { throw ExitCode(1) }
    }
}
