import ArgumentParser

/// `readerlab bench`.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Measure.",
        subcommands: [BenchHostCommand.self, BenchDoorCommand.self, BenchBareCommand.self])
}
