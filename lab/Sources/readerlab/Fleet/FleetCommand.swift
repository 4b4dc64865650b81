// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Reader

/// `readerlab fleet`.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "The back end's half of a fleet: events of many readers from an MQTT broker into a database.",
        discussion: """
            readerd-link beside each reader delivers; the collector verifies, stores each event once, and says how far \
            it has come. docs/fleet.md takes from a broker to a table of readers.
            """,
        subcommands: [
            FleetCollectCommand.self, FleetStatusCommand.self, FleetMetricsCommand.self, FleetAuthorityCommand.self,
            FleetEnrolCommand.self, FleetKeyCommand.self, FleetOrderCommand.self, FleetDesiredCommand.self,
        ])

    /// The readers of a collector's database.
    static func readers(of database: String) throws(EmulationError) -> [FleetDatabase.Reader] {
        guard access(database, F_OK) == 0 else {
            throw misuse("\(database): no such file; readerlab fleet collect makes it")
        }
        let opened = try FleetDatabase(reading: database)
        do throws(DiskFault) { return try opened.readers() } catch {
            throw EmulationError(code: 1, "\(database): \(error.summary)")
        }
    }

    /// The exit code for wrong use, and for files that cannot be used.
    static func misuse(_ text: String) -> EmulationError { EmulationError(code: 2, text) }
}
