// SPDX-License-Identifier: Apache-2.0

import Emulation
import TestSupport
import Testing

@testable import VirtualPins

/// The pins of a bench, as options name them, and the lines that are typed.
@Suite struct PinPlanTests {
    private func fault(
        inputs: [String] = [], outputs: [String] = [], activeLow: [String] = [], pullUp: [String] = []
    ) -> String? {
        thrown { () throws(CommandFault) in
            _ = try PinPlan.all(inputs: inputs, outputs: outputs, activeLow: activeLow, pullUp: pullUp)
        }?.description
    }

    @Test func namesLinesAndTheirWays() throws {
        let plans = try PinPlan.all(
            inputs: ["lock=gpiochip0:5", "led-2=/dev/gpiochip1:0"], outputs: ["rex=REX"], activeLow: ["lock", "rex"],
            pullUp: ["lock"])
        #expect(plans.map(\.name) == ["lock", "led-2", "rex"])
        #expect(plans.map { "\($0.line)" } == ["gpiochip0:5", "gpiochip1:0", "REX"])
        #expect(plans.map(\.isOutput) == [false, false, true])
        #expect(plans.map(\.isActiveLow) == [true, false, true])
        #expect(plans.map(\.isPulledUp) == [true, false, false])
    }

    @Test func aMistakeIsOneLine() {
        #expect(fault() == "name 1 to 32 pins, as --in lock=gpiochip0:5 --out rex=gpiochip0:6")
        #expect(fault(inputs: (0...32).map { "a\($0)=gpiochip0:\($0)" })?.hasPrefix("name 1 to 32 pins") == true)
        #expect(fault(inputs: ["lock"]) == "\"lock\" is no pin; write NAME=LINE, as lock=gpiochip0:5")
        for name in ["", "Lock", "a/b", "a b", "ü", String(repeating: "a", count: 17)] {
            #expect(fault(inputs: ["\(name)=gpiochip0:1"]) != nil)
        }
        #expect(
            fault(inputs: ["Lock=gpiochip0:1"])
                == "\"Lock\" is no name of a pin; write 1 to 16 of a to z, 0 to 9 and -")
        #expect(
            fault(inputs: ["lock=gpiochip0"])
                == "pin lock: \"gpiochip0\" names a chip but no line; write gpiochip0:LINE")
        #expect(fault(inputs: ["a=A"], outputs: ["a=B"]) == "two pins are called a")
        #expect(
            fault(inputs: ["a=gpiochip0:1"], outputs: ["b=/dev/gpiochip0:1"])
                == "a and b are one line, gpiochip0:1")
        #expect(
            fault(inputs: ["a=A"], activeLow: ["b"]) == "--active-low \"b\": there is no such pin; there are a")
        #expect(fault(inputs: ["a=A"], pullUp: ["b"]) == "--pull-up \"b\": there is no such pin; there are a")
        #expect(fault(outputs: ["a=A"], pullUp: ["a"]) == "--pull-up a: an output drives its line itself")
    }

    @Test func linesThatAreTyped() throws {
        let plans = try PinPlan.all(inputs: ["lock=L"], outputs: ["rex=R"], activeLow: [], pullUp: [])
        #expect(try PinOrder(line: "rex on", plans) == .set(1, true))
        #expect(try PinOrder(line: "rex off", plans) == .set(1, false))
        #expect(try PinOrder(line: "list", plans) == .list)
        #expect(try PinOrder(line: "help", plans) == .help)
        #expect(try PinOrder(line: "quit", plans) == .quit)
        #expect(throws: CommandFault("lock is an input: the reader drives it")) { try PinOrder(line: "lock on", plans) }
        for line in ["rex", "rex 1", "rex on ", "rex on off", "rexon", "", "lock", "list all"] {
            #expect(throws: CommandFault("\(line.debugDescription): no such order; help lists them")) {
                try PinOrder(line: line, plans)
            }
        }
        #expect(PinOrder.help(plans) == ["rex on|off", "list: all pins", "help", "quit"])
    }
}
