// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import BackEnd
import Commands
import Glibc

/// A credential command. Its work is separate from its output.
protocol CredentialCommand: ParsableCommand {
    /// Performs the command, and returns the lines for standard output.
    func perform() throws(CredentialError) -> [String]

    /// Warnings for standard error, before the command is performed.
    var warnings: [String] { get }
}

extension CredentialCommand {
    var warnings: [String] { [] }

    /// Performs the command and prints the result; exit code 1 on failure.
    func run() throws {
        do throws(CredentialError) {
            for line in warnings { ConsoleOutput.write("readerlab: warning: \(line)", to: STDERR_FILENO) }
            for line in try perform() { ConsoleOutput.write(line, to: STDOUT_FILENO) }
        } catch {
            ConsoleOutput.write("readerlab: \(error)", to: STDERR_FILENO)
            throw ExitCode(1)
        }
    }
}

/// The option for the site file.
struct SiteOption: ParsableArguments {
    @Option(name: .customLong("site"), help: ArgumentHelp("The site's file, mode 0600.", valueName: "FILE"))
    var path: String
}
