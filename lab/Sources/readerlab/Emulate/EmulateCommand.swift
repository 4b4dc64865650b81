import ArgumentParser

/// `readerlab emulate`.
struct EmulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Be another device, on a real controller.",
        subcommands: [
            EmulateGATTCommand.self, EmulateNordicCommand.self, EmulateSmarterAICommand.self,
            EmulateDevicesCommand.self,
        ] + overHTTPS)

    /// The commands that require the package's trait SoftAP.
    private static var overHTTPS: [any ParsableCommand.Type] {
        #if SoftAP
            [EmulateSoftAPCommand.self]
        #else
            []
        #endif
    }
}
