// SPDX-License-Identifier: Apache-2.0

import Emulation

/// A line typed to a bench.
package enum PinOrder: Equatable {
    /// Sets an output, by its index.
    case set(Int, Bool)
    /// Lists the pins.
    case list
    /// Lists the orders.
    case help
    /// Ends the program.
    case quit

    /// Reads a line.
    init(line: String, _ plans: [PinPlan]) throws(CommandFault) {
        if let plain = ["list": PinOrder.list, "help": .help, "quit": .quit][line] {
            self = plain
            return
        }
        for (index, plan) in plans.enumerated() where plan.isOutput {
            for level in [false, true] where line == PinOrder.line(plan.name, level) {
                self = .set(index, level)
                return
            }
        }
        if let input = plans.first(where: { !$0.isOutput && line.hasPrefix($0.name + " ") }) {
            throw CommandFault("\(input.name) is an input: the reader drives it")
        }
        throw CommandFault("\(line.debugDescription): no such order; help lists them")
    }

    /// The line that sets an output.
    package static func line(_ pin: String, _ level: Bool) -> String { "\(pin) \(PinNotice.word(level))" }

    /// The orders, one line each.
    package static func help(_ plans: [PinPlan]) -> [String] {
        plans.filter(\.isOutput).map { "\($0.name) on|off" } + ["list: all pins", "help", "quit"]
    }
}
