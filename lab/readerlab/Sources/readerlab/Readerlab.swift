// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CardPrograms
import Commands
import Demo
import Glibc
import Reader

/// The laboratory: programs to try, test and measure readers.
@main
struct Readerlab: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "readerlab",
        abstract: "Try, test and measure readers without a door.",
        discussion: """
            Start with `readerlab demo`: a reader, phones and the air between them in one process, no hardware needed.
            """,
        version: FirmwareVersion.text,
        subcommands: subcommands)

    private static var subcommands: [any ParsableCommand.Type] {
        var commands: [any ParsableCommand.Type] = [
            DemoCommand.self, ScenarioCommand.self, PlayCommand.self, AirCommand.self, PhoneCommand.self,
            CardCommand.self, EmulateCommand.self, PinsCommand.self, WatchCommand.self,
        ]
        #if NetworkDevices
            commands.append(WebCommand.self)
        #endif
        return commands + [
            OSDPToolCommand.self, FleetCommand.self, BenchCommand.self, GateCommand.self, CredentialsCommand.self,
        ]
    }

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        if let fault = unknownCommand(arguments) {
            refuse("readerlab: \(fault)")
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch let error as CommandError {
            exit(withError: error.reported)
        } catch  where exitCode(for: error) == .validationFailure {
            refuse(wrongUse(message(for: error), of: path(arguments)))
        } catch {
            exit(withError: error)
        }
    }

    private static func refuse(_ line: String) -> Never {
        ConsoleOutput.write(line, to: STDERR_FILENO)
        exit(withError: ExitCode(CommandError.wrongUse))
    }

    /// The error line for wrong use of a command, without the parser's lines of help.
    static func wrongUse(_ message: String, of path: String) -> String {
        let text = message.split(whereSeparator: \.isNewline).map { $0.trimmingPrefix { $0 == " " } }
        return "\(path): \(text.joined(separator: " ")); see: \(path) --help"
    }

    /// The path of the command that the arguments name, such as `readerlab emulate gatt`.
    static func path(_ arguments: some Sequence<String>) -> String {
        var command: any ParsableCommand.Type = Readerlab.self
        var path = "readerlab"
        for argument in arguments {
            guard
                let next = command.configuration.subcommands.first(where: {
                    $0.configuration.commandName == argument
                })
            else { break }
            command = next
            path += " \(argument)"
        }
        return path
    }

    /// The error for an unknown command name; nil if all names are known. The parser would report the options after the
    /// name instead.
    static func unknownCommand(_ arguments: some Sequence<String>) -> String? {
        var command: any ParsableCommand.Type = Readerlab.self
        var path = "readerlab"
        for argument in arguments {
            let known = command.configuration.subcommands
            if known.isEmpty || argument.hasPrefix("-") || argument == "help" { return nil }
            guard let next = known.first(where: { $0.configuration.commandName == argument }) else {
                let names = known.compactMap { $0.configuration.commandName }.joined(separator: ", ")
                return "there is no \(argument.debugDescription); the commands are \(names); see: \(path) --help"
            }
            command = next
            path += " \(argument)"
        }
        return nil
    }
}
