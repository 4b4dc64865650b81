// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulation
import HostLoop
import Peripheral

/// Options common to the emulated devices that use a session.
struct EmulationRunOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The controller: hci-socket:N, serial:DEVICE,BAUD[,rtscts], tcp-client:HOST:PORT or unix:PATH.",
            valueName: "NAME"))
    var hci: String

    @Option(
        help: ArgumentHelp(
            "The random static address of the first device, and the next ones for the others; a new one each time if "
                + "not given.", valueName: "C0:11:22:33:44:55"))
    var address: String?

    @Option(
        help: ArgumentHelp(
            "How many apps may be connected at once, 1 to 64; \(HostConfiguration().links) if not given.",
            valueName: "COUNT"))
    var links: Int?

    @Option(help: ArgumentHelp("What goes wrong, and when (docs/emulation.md).", valueName: "FILE"))
    var scenario: String?

    @Option(
        help: ArgumentHelp(
            "Write down everything that happened, and what the app got wrong, as JSON at the end.", valueName: "FILE"))
    var transcript: String?

    @Option(help: ArgumentHelp("A capture of all HCI packets, for Wireshark (mode 0600).", valueName: "FILE"))
    var btsnoop: String?

    @Flag(help: "One JSON object a line.")
    var json = false

    func validate() throws {
        try EmulationRadio.check(hci: hci, address: address)
        // The capacity of a host's table (`HostConfiguration.links`).
        guard (1...64).contains(links ?? 1) else { throw ValidationError("--links is 1 to 64") }
    }
}
