// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import LoadGenerator

/// `readerlab bench`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure.",
        subcommands: [BenchHostCommand.self, BenchDoorCommand.self, BenchBareCommand.self])
}

/// A command that loads a program, according to a plan, and prints a report.
protocol BenchLoadCommand: ParsableCommand {
    associatedtype Plan
    var json: Bool { get }
    /// The command of the program.
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

    /// Prints the report, as a table or as JSON.
    func show(_ table: [String], json text: () throws -> String) throws {
        for line in json ? [try text()] : table { print(line) }
    }
}
