// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DevicePrograms

/// `readerlab emulate`.
struct EmulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Be another device, on a real controller.",
        discussion: """
            Exit code 0 when a signal or quit ends the device; 1 when a controller or a port cannot be used, or a file \
            cannot be written; 2 for wrong use, and a file with a fault; 3 when the app got something wrong and \
            --fail-on-findings is given (docs/emulators/emulation.md).
            """,
        subcommands: [EmulateGATTCommand.self, EmulateReaderCommand.self] + EmulatedKinds.all.map { $0.command }
            + [EmulateDevicesCommand.self, EmulateMatterCommand.self] + onNetworks + [EmulateFaultsCommand.self])

    /// The commands that require the package trait NetworkDevices.
    private static var onNetworks: [any ParsableCommand.Type] {
        #if NetworkDevices
            [EmulateSoftAPCommand.self, EmulateBanditCommand.self]
        #else
            []
        #endif
    }
}
