// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands
import Glibc

/// `readerlab fleet metrics`.
struct FleetMetricsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "metrics",
        abstract: "Every reader of a collector's database as metrics in Prometheus' text format.",
        discussion: """
              readerlab fleet metrics --database fleet.db \\
                | sponge /var/lib/prometheus/node-exporter/readerd.prom

            Run it by a timer for the textfile collector of Prometheus' node exporter.
            """)

    @Option(help: ArgumentHelp("The collector's database: a file, or postgresql://…", valueName: "place"))
    var database: String

    func run() throws {
        ConsoleOutput.write(FleetMetric.text(try FleetCommand.readers(of: database)), to: STDOUT_FILENO)
    }
}
