// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DevicePrograms

/// `readerlab emulate`.
struct EmulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Be another device, on a real controller.",
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
