// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc
import LabReport
import LoadGenerator

/// `readerlab bench`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure.",
        subcommands: [
            BenchHostCommand.self, BenchDoorCommand.self, BenchGateCommand.self, BenchSiteCommand.self,
            BenchAttacksCommand.self, BenchTapCommand.self,
            BenchFleetCommand.self, BenchBareCommand.self,
        ])
}

/// A command that measures and prints a report.
protocol BenchReportCommand: ParsableCommand {
    var reports: ReportOptions { get }
}

/// A command that loads a program according to a plan.
protocol BenchLoadCommand: BenchReportCommand {
    associatedtype Plan
    /// The command line of the program under test.
    var command: [String] { get }
    /// The plan from the options.
    func plan() throws -> Plan
}

extension BenchLoadCommand {
    func validate() throws {
        do {
            _ = try plan()
            _ = try HostCommand(command)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}

extension BenchReportCommand {
    /// Prints the report as a table or as JSON, and writes the requested reports. Throws if the run has failed.
    func show(_ table: [String], json text: () throws -> String, _ run: LabRun, _ former: Baseline?) throws {
        for line in reports.json ? [try text()] : table { ConsoleOutput.write(line, to: STDOUT_FILENO) }
        if try !reports.finish(run, former) { throw ExitCode(1) }
    }
}
