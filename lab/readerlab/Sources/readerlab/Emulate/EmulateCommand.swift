// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `readerlab emulate`.
struct EmulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Be another device, on a real controller.",
        subcommands: [
            EmulateGATTCommand.self, EmulateReaderCommand.self, EmulateNordicCommand.self,
            EmulateSmarterAICommand.self, EmulateDevicesCommand.self, EmulateMatterCommand.self,
        ] + onNetworks + [EmulateFaultsCommand.self])

    /// The commands that require the package trait NetworkDevices.
    private static var onNetworks: [any ParsableCommand.Type] {
        #if NetworkDevices
            [EmulateSoftAPCommand.self, EmulateBanditCommand.self]
        #else
            []
        #endif
    }
}
