import ArgumentParser
import Reader

/// The lab: everything around a reader that is not the reader.
@main
struct Readerlab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readerlab",
        abstract: "Try, test and measure readers without a door.",
        discussion: """
            Start with `readerlab demo`: a reader, phones and the air between them in one process, no hardware needed.
            """,
        version: FirmwareVersion.text,
        subcommands: [DemoCommand.self, EmulateCommand.self, BenchCommand.self, CredentialsCommand.self])
}
