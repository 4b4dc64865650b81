import ArgumentParser
import Testing

@testable import readerlab

/// The commands' names, and what is said of one that is none.
@Suite struct ReaderlabTests {
    @Test(
        arguments: [
            ([], nil), (["--help"], nil), (["--version"], nil), (["help", "nothing"], nil), (["demo", "more"], nil),
            (["emulate"], nil), (["emulate", "gatt", "--table", "x"], nil), (["emulate", "help", "gatt"], nil),
            (["credentials", "token", "oss-so"], nil), (["bench", "host", "--", "emulat"], nil),
            (
                ["emulat", "gatt", "--hci", "x"],
                "there is no \"emulat\"; the commands are demo, emulate, bench, credentials; see: readerlab --help"
            ),
            (
                ["credentials", "reader", "ad", "--site", "x"],
                "there is no \"ad\"; the commands are add, update, rotate; see: readerlab credentials reader --help"
            ),
            (
                ["bench", "hots", "--json"],
                "there is no \"hots\"; the commands are host, door, bare; see: readerlab bench --help"
            ),
        ] as [([String], String?)])
    func aNameThatIsNoneIsSaidBeforeItsOptions(arguments: [String], fault: String?) {
        #expect(Readerlab.unknownCommand(arguments) == fault)
    }

    /// Else a command could not be found by its name.
    @Test func everyCommandHasItsName() {
        var commands: [any ParsableCommand.Type] = [Readerlab.self]
        var count = 0
        while let command = commands.popLast() {
            #expect(command.configuration.commandName != nil)
            #expect(!command.configuration.abstract.isEmpty)
            commands += command.configuration.subcommands
            count += 1
        }
        #expect(count > 20)
    }

    /// As wide as a terminal is at least: a command that is cut cannot be copied.
    @Test func examplesFitALine() {
        var commands: [any ParsableCommand.Type] = [Readerlab.self]
        while let command = commands.popLast() {
            for line in command.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
                #expect(line.count <= 80, "\(line)")
            }
            commands += command.configuration.subcommands
        }
    }
}
