// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import DevicePrograms
import Emulation
import Reader
import ReaderEmulation

/// `readerlab emulate reader`.
struct EmulateReaderCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reader",
        abstract:
            "Be a door reader that goes wrong on command, for people who write its apps, until SIGINT or SIGTERM.",
        discussion: """
            It is readerd's own reader, with a simulated door: docs/emulators/emulated-reader.md.

              readerlab emulate reader --hci hci-socket:0
              readerlab emulate reader --hci hci-socket:0 --modes classic,access \\
                --scenario too-far.json --transcript run.json

            The identity is the published demo one, for which readerlab credentials site demo issues tokens; with \
            --state that of readerd provision.

            While it runs, what happens is told line by line, and states and faults can be typed: help lists them. At \
            the end it says what the app got wrong. Exit code 0 when a signal ends it, 1 when the controller cannot be \
            reached at first, 2 when a file has a fault.
            """)

    @Option(
        help: ArgumentHelp(
            "The modes that it advertises, of \(AdvertisingMode.ofAccessProfile.map(\.rawValue).joined(separator: ", ")).",
            valueName: "MODE,…"))
    var modes = "on-touch,access"

    @Option(
        help: ArgumentHelp(
            "The state directory of a reader that readerd provision has made, for its identity; nothing is written.",
            valueName: "DIR"))
    var state: String?

    @OptionGroup(title: "Run")
    var options: EmulationRunOptions

    func validate() throws { _ = try advertised() }

    /// The modes of `--modes`.
    func advertised() throws -> [AdvertisingMode] {
        do throws(CommandFault) {
            guard case .modes(let modes) = try ReaderOrder(line: "modes \(modes)") else { return [] }
            return modes
        } catch {
            throw ValidationError("--modes \(modes.debugDescription): \(error)")
        }
    }

    func run() throws {
        try ReaderProgram(options, modes: advertised(), state: state).run()
    }
}
