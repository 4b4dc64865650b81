// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd

/// `readerlab fleet collect`.
struct FleetCollectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "collect",
        abstract: "Collect the events and states of a site's readers, until SIGINT or SIGTERM.",
        discussion: """
              readerlab fleet collect --broker localhost --plain \\
                --site site.json --database fleet.db
              readerlab fleet collect --broker mqtt.example --ca ca.pem \\
                --certificate collector.pem --key collector-key.pem \\
                --site site.json --database fleet.db

              readerlab fleet collect --broker mqtt.example --ca ca.pem \\
                --certificate collector.pem --key collector-key.pem \\
                --site site.json --database postgresql://collector@db.example/fleet

            Batches that the reader's terminal key has not signed are refused. A batch is committed before its mark is \
            published; after any loss the readers send again from the mark. A server of PostgreSQL that is away is \
            tried again each 5 s, and nothing is acknowledged meanwhile.
            """)

    @OptionGroup var access: FleetBrokerOptions

    @Option(help: "The client identifier, different for each collector.")
    var identity = "readerd-collector"

    @Option(help: ArgumentHelp("The site with its readers: readerlab credentials.", valueName: "file"))
    var site: String

    @Option(
        help: ArgumentHelp(
            "The database: a file of SQLite, created if missing, or postgresql://…, without a password.",
            valueName: "place"))
    var database: String

    @Flag(help: "Lines of JSON: each stored event with its reader, each change of a reader, each finding.")
    var json = false

    func run() throws {
        let access = FleetAccess(broker: try access.parsed(), identity: identity)
        try FleetCollectProgram(access, sitePath: site, database: database, json: json).run()
    }
}
