// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands
import Glibc

/// `readerlab fleet status`.
struct FleetStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Every reader of a collector's database: present, its door, its faults, its last event.",
        discussion: "  readerlab fleet status --database fleet.db")

    @Option(help: ArgumentHelp("The collector's database: a file, or postgresql://…", valueName: "place"))
    var database: String

    @Flag(help: "One JSON object a reader.")
    var json = false

    func run() throws {
        let readers = try FleetCommand.readers(of: database)
        for line in json ? readers.map(\.json) : FleetStatusTable.lines(readers) {
            ConsoleOutput.write(line, to: STDOUT_FILENO)
        }
    }
}
