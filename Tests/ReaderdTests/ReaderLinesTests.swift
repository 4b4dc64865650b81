// SPDX-License-Identifier: Apache-2.0

import Configuration
import GPIO
import Reader
import Testing
import Timekeeping

@testable import readerd

@Suite struct ReaderLinesTests {
    @Test func outputsWithoutALineAreSimulated() throws {
        var lines = try ReaderLines(ReaderSettings())
        try lines.apply(.setLock(energised: true), at: Instant(nanoseconds: 5))
        try lines.apply(.setLock(energised: false), at: Instant(nanoseconds: 9))
        let edges = lines.record.edges
        #expect(
            edges == [
                SimulatedLines.Edge(Instant(nanoseconds: 5), .lock, true),
                SimulatedLines.Edge(Instant(nanoseconds: 9), .lock, false),
            ])
    }

    /// It is a fault of the running reader, who asks for the line again: FaultsOfLinesTests.
    @Test(arguments: DoorInput.allCases) func anInputThatIsNotThereKeepsNobodyFromStarting(input: DoorInput) throws {
        var settings = ReaderSettings()
        settings.gpio.set(input, missingLine)
        _ = try InputLines(settings)
    }

    @Test func withoutInputsThereIsNothingToWatch() throws {
        #expect(throws: Never.self) { _ = try InputLines(ReaderSettings()) }
    }

    @Test func aLockThatIsNotThereIsSaidWithItsKey() {
        var settings = ReaderSettings()
        settings.gpio.lines[.lock] = missingLine
        do throws(ReaderdError) {
            _ = try ReaderLines(settings)
            Issue.record("a line of a chip that is not there was opened")
        } catch {
            #expect(
                error
                    == .failed(
                        "gpio.lock: GPIO line gpiochip4294967295:0: no such chip; list chips: gpiodetect"))
        }
    }

    @Test func aLightThatIsNotThereFailsEachTimeItIsSet() throws {
        var settings = ReaderSettings()
        settings.gpio.lines[.deniedIndicator] = missingLine
        var lines = try ReaderLines(settings)
        let reference = try LineReference(missingLine)
        for _ in 0..<2 {
            #expect(throws: GPIOError.noSuchChip(reference)) {
                try lines.apply(.setIndicator(.denied, on: true), at: .origin)
            }
        }
        try lines.apply(.setIndicator(.granted, on: true), at: .origin)
        #expect(lines.record.edges.map(\.output) == [.grantedIndicator])
    }
}

/// No machine has four thousand million chips, so this asks the library and the kernel on any of them.
let missingLine = "gpiochip4294967295:0"

extension ReaderSettings.GPIO {
    /// Names the line of an input.
    mutating func set(_ input: DoorInput, _ line: String) {
        if let name = Line(rawValue: input.rawValue) { lines[name] = line }
    }
}
