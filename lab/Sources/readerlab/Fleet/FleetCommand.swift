// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `readerlab fleet`.
struct FleetCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fleet",
        abstract: "The back end's half of a fleet: events of many readers from an MQTT broker into a database.",
        discussion: """
            readerd-link beside each reader delivers; the collector verifies, stores each event once, and says how far \
            it has come. docs/fleet.md takes from a broker to a table of readers.
            """,
        subcommands: [FleetCollectCommand.self, FleetStatusCommand.self])

    /// The exit code for wrong use, and for files that cannot be used.
    static func misuse(_ text: String) -> EmulationError { EmulationError(code: 2, text) }
}
