// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
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
            DemoCommand.self, ScenarioCommand.self, AirCommand.self, PhoneCommand.self, EmulateCommand.self,
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
            EmulationOutput.write("readerlab: \(fault)", to: STDERR_FILENO)
            exit(withError: wrongUse(arguments.first))
        }
        do {
            var command = try parseAsRoot()
            try command.run()
        } catch  where exitCode(for: error) == .validationFailure {
            EmulationOutput.write(fullMessage(for: error), to: STDERR_FILENO)
            exit(withError: wrongUse(arguments.first))
        } catch {
            exit(withError: error)
        }
    }

    /// The exit code for wrong use of a command: 2 in `phone`, `scenario`, `bench` and `fleet`, the parser's in the
    /// others.
    static func wrongUse(_ command: String?) -> ExitCode {
        let withTwo = [
            PhoneCommand.configuration.commandName, ScenarioCommand.configuration.commandName,
            BenchCommand.configuration.commandName, FleetCommand.configuration.commandName,
        ]
        return withTwo.contains(command) ? ExitCode(PhoneCommand.wrongUse) : .validationFailure
    }

    /// The error for an unknown command name; nil if all are known. The parser would report the options that follow
    /// instead.
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
