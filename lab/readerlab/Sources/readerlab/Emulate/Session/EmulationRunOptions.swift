// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Peripheral
import ReaderEmulation

/// Options common to the emulated devices that use a session.
struct EmulationRunOptions: ParsableArguments {
    @OptionGroup
    var radio: EmulationRadioOptions

    @Option(
        help: ArgumentHelp(
            "How many apps may be connected at once, 1 to 64; if not given, as many as the device serves: a reader "
                + "\(EmulatedReader.Settings(address: 0).links), nordic-wifi with the exact profile 1, others "
                + "\(HostConfiguration().links).",
            valueName: "COUNT"))
    var links: Int?

    @Option(help: ArgumentHelp("What goes wrong, and when (docs/emulation.md).", valueName: "FILE"))
    var scenario: String?

    @OptionGroup
    var output: EmulationOutputOptions

    func validate() throws {
        // The capacity of a host's table (`HostConfiguration.links`).
        guard (1...64).contains(links ?? 1) else { throw ValidationError("--links is 1 to 64") }
    }
}
