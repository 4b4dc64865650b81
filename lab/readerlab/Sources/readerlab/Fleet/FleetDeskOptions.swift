// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands

/// The options of a signed message to one reader.
struct FleetDeskOptions: ParsableArguments {
    /// The longest time to wait, in seconds.
    private static let longestWait = 3600

    @Option(
        help: ArgumentHelp("The reader: its name, device identifier, or identifier in topics.", valueName: "reader"))
    var reader: String

    @Option(help: ArgumentHelp("The site with its readers: readerlab credentials.", valueName: "file"))
    var site: String

    @Option(help: ArgumentHelp("The key that signs: readerlab fleet key init.", valueName: "file"))
    var commandKey: String

    @OptionGroup var brokerOptions: FleetBrokerOptions

    @Option(help: "The client identifier at the broker.")
    var identity = "readerd-desk"

    @Flag(help: "The outcome as a JSON object.")
    var json = false

    /// The broker, and the identity of its client.
    func access() throws(CommandError) -> FleetAccess {
        FleetAccess(broker: try brokerOptions.parsed(), identity: identity)
    }

    /// The key and the reader.
    func signer() throws(CommandError) -> FleetSigner {
        try FleetSigner(reader: reader, site: site, commandKey: commandKey)
    }

    /// Fails if the time to wait is out of range.
    static func check(wait: Int) throws {
        guard (1...longestWait).contains(wait) else {
            throw ValidationError("--wait \(wait): write 1 to \(longestWait)")
        }
    }
}
