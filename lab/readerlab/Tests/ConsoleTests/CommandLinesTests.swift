// SPDX-License-Identifier: Apache-2.0

import Emulation
import Testing

@testable import Console

/// Lines typed to a running emulation.
@Suite struct CommandLinesTests {
    private static func receive(_ parts: String...) -> [[String]] {
        var lines = CommandLines()
        return parts.map { lines.append(Array($0.utf8)[...]) }
    }

    @Test func linesComeWholeOrInPieces() {
        #expect(Self.receive("help\n") == [["help"]])
        #expect(Self.receive("he", "lp", "\nsteps\n\nfau", "lts\n") == [[], [], ["help", "steps", ""], ["faults"]])
        #expect(Self.receive("no end") == [[]])
    }

    /// A line that is too long is refused, and does not become a command by truncation.
    @Test func aLineIsBounded() {
        let lines = Self.receive(String(repeating: "x", count: 100_000) + "\nhelp\n")[0]
        #expect(lines.map(\.utf8.count) == [EmulationCommand.maximumLine + 1, 4])
        #expect(throws: CommandFault.self) { try EmulationCommand(line: lines[0], steps: []) }
    }
}
