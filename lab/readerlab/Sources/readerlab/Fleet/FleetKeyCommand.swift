// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands
import Glibc

/// `readerlab fleet key`.
struct FleetKeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "The key that signs orders to readers.", subcommands: [Make.self])

    /// `readerlab fleet key init`.
    struct Make: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make the key on this machine: command-key.pem, and command-key.pub.pem for readers.",
            discussion: """
                  readerlab fleet key init desk

                command-key.pem opens every door that has its public half. It never leaves this machine; another \
                machine gets a key of its own.
                """)

        @Argument(help: ArgumentHelp("The directory; created if missing.", valueName: "directory"))
        var directory: String

        func run() throws {
            let paths = try OrderKey.make(in: directory)
            ConsoleOutput.write(
                "\(paths.private): keep it on this machine\n\(paths.public): for each reader: "
                    + "readerd provision --command-key \(paths.public)", to: STDOUT_FILENO)
        }
    }
}
