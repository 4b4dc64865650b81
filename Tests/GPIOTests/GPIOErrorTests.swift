// SPDX-License-Identifier: Apache-2.0

import CGPIO
import Glibc
import Testing

@testable import GPIO

@Suite struct GPIOErrorTests {
    let relay: LineReference
    let offset: LineReference

    init() throws {
        relay = try LineReference("RELAY")
        offset = try LineReference("gpiochip0:17")
    }

    @Test func everyOutcomeHasItsError() {
        let open = GPIOError.Operation.open
        let cases: [(readerd_gpio_outcome, Int32, GPIOError)] = [
            (READERD_GPIO_CHIP_FAILED, ENOENT, .noSuchChip(relay)),
            (READERD_GPIO_CHIP_FAILED, ENODEV, .noSuchChip(relay)),
            (READERD_GPIO_CHIP_FAILED, EACCES, .notPermitted(relay)),
            (READERD_GPIO_CHIP_FAILED, EIO, .failed(relay, operation: .open, errno: EIO)),
            (READERD_GPIO_NO_SUCH_OFFSET, 0, .noSuchOffset(relay)),
            (READERD_GPIO_NO_SUCH_NAME, 0, .noSuchName(relay)),
            (READERD_GPIO_NO_SUCH_NAME, EACCES, .notPermitted(relay)),
            (READERD_GPIO_AMBIGUOUS_NAME, 0, .ambiguousName(relay)),
            (READERD_GPIO_REQUEST_FAILED, EBUSY, .busy(relay)),
            (READERD_GPIO_REQUEST_FAILED, EPERM, .notPermitted(relay)),
            (READERD_GPIO_REQUEST_FAILED, EINVAL, .failed(relay, operation: .open, errno: EINVAL)),
            // A chip that was unplugged while in use is not "no such chip".
            (READERD_GPIO_ACCESS_FAILED, ENODEV, .failed(relay, operation: .open, errno: ENODEV)),
            (READERD_GPIO_NO_MEMORY, 0, .failed(relay, operation: .open, errno: ENOMEM)),
        ]
        for (outcome, errno, error) in cases {
            #expect(OutputLine.error(outcome, errno, open, relay) == error)
        }
    }

    @Test func saysWhatWhereAndWhatToDoInOneLine() {
        #expect(
            GPIOError.noSuchName(relay).description
                == "GPIO line RELAY: no line of this name; list names: gpioinfo")
        #expect(
            GPIOError.busy(offset).description
                == "GPIO line gpiochip0:17: in use; list consumers: gpioinfo")
        #expect(
            GPIOError.failed(offset, operation: .set, errno: EIO).description
                == "GPIO line gpiochip0:17: cannot set it: Input/output error")
    }

    @Test func aChipThatNobodyHasIsMissing() throws {
        // No machine has four thousand million chips, so this queries the library and the kernel on any machine.
        let line = try LineReference("gpiochip4294967295:0")
        #expect(throws: GPIOError.noSuchChip(line)) { _ = try OutputLine(line, active: false) }
    }

    @Test func anInputOfAChipThatNobodyHasIsMissing() throws {
        let line = try LineReference("gpiochip4294967295:0")
        for bias in [InputLine.Bias.asIs, .pullUp, .pullDown] {
            #expect(throws: GPIOError.noSuchChip(line)) { _ = try InputLine(line, bias: bias) }
        }
        #expect(throws: GPIOError.self) { _ = try InputLine(try LineReference("readerd test no such line")) }
    }

    @Test func aNameThatNobodyGaveIsMissing() throws {
        let line = try LineReference("readerd test no such line")
        do throws(GPIOError) {
            _ = try OutputLine(line, active: false)
            Issue.record("a line of this name was opened")
        } catch {
            // Where chips exist that the user may not open, the error has to say so.
            #expect(error == .noSuchName(line) || error == .notPermitted(line))
        }
    }

    @Test func knowsItsLibrary() {
        // script/test-gpiod2 says which it is.
        let wanted = getenv("READERD_GPIO_API").map { [String(cString: $0)] } ?? ["1", "2"]
        #expect(wanted.contains("\(OutputLine.libraryAPI)"))
    }
}
