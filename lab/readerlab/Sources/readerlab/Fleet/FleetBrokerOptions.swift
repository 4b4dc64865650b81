// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import MQTT
import System

/// The options for a broker, and for the identity of its client.
struct FleetBrokerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The broker; with TLS on port 8883, else 1883.", valueName: "host[:port]"))
    var broker: String?

    @Option(help: ArgumentHelp("The authorities of the broker's certificate, PEM.", valueName: "file"))
    var ca: String?

    @Option(help: ArgumentHelp("The certificate of the identity at the broker, PEM.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("Its key, PEM without a passphrase.", valueName: "file"))
    var key: String?

    @Flag(help: "Without TLS and without an identity: for a bench.")
    var plain = false

    /// The broker.
    func parsed() throws(CommandError) -> Broker {
        guard let broker else { throw .misuse("name the broker: --broker HOST[:PORT]") }
        do throws(ProgramFailure) {
            return try Broker(
                broker, tls: Broker.TLS(authorities: ca, certificate: certificate, key: key, isPlain: plain))
        } catch {
            throw .misuse(error.description)
        }
    }
}
