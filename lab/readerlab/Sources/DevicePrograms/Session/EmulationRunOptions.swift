// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Peripheral
import ReaderEmulation

/// Options common to the emulated devices that use a session.
package struct EmulationRunOptions: ParsableArguments {
    @OptionGroup
    package var radio: EmulationRadioOptions

    @Option(
        help: ArgumentHelp(
            "How many apps may be connected at once, 1 to 64; if not given, as many as the device serves: a reader "
                + "\(EmulatedReader.Settings(address: 0).links), nordic-wifi with the exact profile 1, others "
                + "\(HostConfiguration().links).",
            valueName: "COUNT"))
    package var links: Int?

    @Option(help: ArgumentHelp("The faults, and their times (docs/emulators/emulation.md).", valueName: "FILE"))
    package var scenario: String?

    @OptionGroup
    package var output: EmulationOutputOptions

    package init() {}

    package func validate() throws {
        // The capacity of a host's table (`HostConfiguration.links`).
        guard (1...64).contains(links ?? 1) else { throw ValidationError("--links is 1 to 64") }
    }
}
