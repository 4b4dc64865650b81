import ArgumentParser

/// `readerlab emulate`.
struct EmulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "emulate",
        abstract: "Be another device, on a real controller.",
        subcommands: [EmulateGATTCommand.self, EmulateNordicCommand.self])
}
