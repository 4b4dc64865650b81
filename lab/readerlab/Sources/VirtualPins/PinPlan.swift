// SPDX-License-Identifier: Apache-2.0

package import Emulation
package import GPIO

/// A pin of a bench: a line of this computer's GPIO chips, with a name, in the notation `NAME=LINE`.
package struct PinPlan: Equatable {
    /// The maximum number of pins: more than a reader has lines.
    package static let maximumCount = 32
    /// The maximum length of a name.
    package static let maximumName = 16

    package var name: String
    package var line: LineReference
    /// True for an output of the bench, which drives the reader's input.
    package var isOutput: Bool
    /// True if the low level is on.
    var isActiveLow = false
    /// True to pull an input up while nothing drives it.
    var isPulledUp = false

    init(_ text: String, isOutput: Bool) throws(CommandFault) {
        guard let equals = text.firstIndex(of: "=") else {
            throw CommandFault("\(text.debugDescription) is no pin; write NAME=LINE, as lock=gpiochip0:5")
        }
        name = String(text[..<equals])
        let isPlain = name.utf8.allSatisfy { octet in
            switch octet {
            case 0x30...0x39, 0x61...0x7A, 0x2D: true
            default: false
            }
        }
        guard isPlain, (1...PinPlan.maximumName).contains(name.utf8.count) else {
            throw CommandFault(
                "\(name.debugDescription) is no name of a pin; write 1 to \(PinPlan.maximumName) of a to z, 0 to 9 and -"
            )
        }
        do throws(LineReferenceError) { line = try LineReference(String(text[text.index(after: equals)...])) } catch {
            throw CommandFault("pin \(name): \(error)")
        }
        self.isOutput = isOutput
    }

    /// Parses the pins of the options.
    package static func all(
        inputs: [String], outputs: [String], activeLow: [String], pullUp: [String]
    ) throws(CommandFault) -> [PinPlan] {
        var plans: [PinPlan] = []
        for (texts, isOutput) in [(inputs, false), (outputs, true)] {
            for text in texts { plans.append(try PinPlan(text, isOutput: isOutput)) }
        }
        guard (1...maximumCount).contains(plans.count) else {
            throw CommandFault("name 1 to \(maximumCount) pins, as --in lock=gpiochip0:5 --out rex=gpiochip0:6")
        }
        for (index, plan) in plans.enumerated() {
            for other in plans[..<index] {
                guard other.name != plan.name else { throw CommandFault("two pins are called \(plan.name)") }
                guard other.line != plan.line else {
                    throw CommandFault("\(other.name) and \(plan.name) are one line, \(plan.line)")
                }
            }
        }
        for name in activeLow { plans[try index(of: name, in: plans, "--active-low")].isActiveLow = true }
        for name in pullUp {
            let index = try index(of: name, in: plans, "--pull-up")
            guard !plans[index].isOutput else {
                throw CommandFault("--pull-up \(name): an output drives its line itself")
            }
            plans[index].isPulledUp = true
        }
        return plans
    }

    private static func index(of name: String, in plans: [PinPlan], _ option: String) throws(CommandFault) -> Int {
        if let index = plans.firstIndex(where: { $0.name == name }) { return index }
        let names = plans.map(\.name).joined(separator: ", ")
        throw CommandFault("\(option) \(name.debugDescription): there is no such pin; there are \(names)")
    }
}
