// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing

@testable import readerlab

/// The names of the commands, and the message for an unknown one.
@Suite struct ReaderlabTests {
    @Test(
        arguments: [
            ([], nil), (["--help"], nil), (["--version"], nil), (["help", "nothing"], nil), (["demo", "more"], nil),
            (["emulate"], nil), (["emulate", "gatt", "--table", "x"], nil), (["emulate", "help", "gatt"], nil),
            (["credentials", "token", "oss-so"], nil), (["bench", "host", "--", "emulat"], nil),
            (
                ["emulat", "gatt", "--hci", "x"],
                "there is no \"emulat\"; the commands are demo, scenario, play, air, phone, card, emulate, pins, watch, web, osdp, fleet, bench, gate, credentials; see: readerlab --help"
            ),
            (
                ["credentials", "reader", "ad", "--site", "x"],
                "there is no \"ad\"; the commands are add, update, rotate; see: readerlab credentials reader --help"
            ),
            (
                ["bench", "hots", "--json"],
                "there is no \"hots\"; the commands are host, door, gate, site, attacks, tap, fleet, bare; see: readerlab bench --help"
            ),
        ] as [([String], String?)])
    func aNameThatIsNoneIsSaidBeforeItsOptions(arguments: [String], fault: String?) {
        #expect(Readerlab.unknownCommand(arguments) == fault)
    }

    /// One line, whatever the parser adds.
    @Test func wrongUseIsOneLine() {
        #expect(Readerlab.path(["emulate", "gatt", "--table", "x"]) == "readerlab emulate gatt")
        #expect(Readerlab.path(["web", "emulate", "gatt"]) == "readerlab web")
        #expect(Readerlab.path(["--help"]) == "readerlab")
        #expect(
            Readerlab.wrongUse("One of:\n  - a\n  - b", of: "readerlab demo")
                == "readerlab demo: One of: - a - b; see: readerlab demo --help")
    }

    /// Otherwise a command could not be found by its name.
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

    /// The minimum width of a terminal: a command that is wrapped cannot be copied.
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
