// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands
import Glibc

/// `readerlab fleet`.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "The back end's half of a fleet: events of many readers from an MQTT broker into a database.",
        discussion: """
            readerd-link beside each reader delivers; the collector verifies, stores each event once, and says how far \
            it has come. docs/operate/fleet.md takes from a broker to a table of readers.
            """,
        subcommands: [
            FleetCollectCommand.self, FleetStatusCommand.self, FleetMetricsCommand.self, FleetAuthorityCommand.self,
            FleetEnrolCommand.self, FleetKeyCommand.self, FleetOrderCommand.self, FleetDesiredCommand.self,
        ])

    /// The readers of a collector's database.
    static func readers(of database: String) throws(CommandError) -> [FleetDatabase.Reader] {
        let place = try DatabasePlace(database)
        if case .file(let path) = place, access(path, F_OK) != 0 {
            throw .misuse("\(path): no such file; readerlab fleet collect makes it")
        }
        do throws(DatabaseFault) { return try FleetDatabase(reading: place).readers() } catch {
            throw .failed("\(place): \(error.text)")
        }
    }
}
