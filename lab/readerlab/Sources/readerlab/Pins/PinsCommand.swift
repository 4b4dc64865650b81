// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Emulation
import VirtualPins

/// `readerlab pins`: the lines of a real reader, connected to the GPIO chips of this computer.
struct PinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pins",
        abstract: "The lines of a real reader at this computer's GPIO chips: edges with times, levels to set.",
        discussion: """
            An input is what the reader drives, as its lock: each edge is printed with the kernel's time and the \
            length of the level before it. An output is what the bench drives, as the contact: NAME on or NAME off \
            sets it. As pins over HTTP, for labgrid, and on a page:

              readerlab pins --in lock=gpiochip0:5 --out contact=gpiochip0:6 --out rex=REX
              readerlab web pins --in lock=gpiochip0:5 --out contact=gpiochip0:6

            A line is gpiochipN:LINE or its name, as gpioinfo lists them. Outputs are off from the start, and off \
            again at the end. Never wire lines of other than 3.3 V: docs/emulators/pins.md has how.

            Exit code 0 when a signal or quit ends it, 1 when a line cannot be used or its chip is gone.
            """)

    @Option(name: .customLong("in"), help: ArgumentHelp("A line that the reader drives.", valueName: "NAME=LINE"))
    var inputs: [String] = []

    @Option(name: .customLong("out"), help: ArgumentHelp("A line that the bench drives.", valueName: "NAME=LINE"))
    var outputs: [String] = []

    @Option(help: ArgumentHelp("The pin of this name is on while its line is low. May be repeated.", valueName: "NAME"))
    var activeLow: [String] = []

    @Option(
        help: ArgumentHelp(
            "Pull the line of this input up, for an open collector. May be repeated.", valueName: "NAME"))
    var pullUp: [String] = []

    @Flag(help: "One JSON object a line.")
    var json = false

    /// The pins that the options describe.
    func plans() throws(CommandFault) -> [PinPlan] {
        try PinPlan.all(inputs: inputs, outputs: outputs, activeLow: activeLow, pullUp: pullUp)
    }

    func validate() throws {
        do throws(CommandFault) { _ = try plans() } catch { throw ValidationError(error.description) }
    }

    func run() throws {
        try PinsProgram(plans(), json: json).run()
    }
}
