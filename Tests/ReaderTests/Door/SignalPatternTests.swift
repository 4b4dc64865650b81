// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

@Suite struct SignalPatternTests {
    /// The edges of a pattern as its own deadlines lead through it, in milliseconds.
    private func edges(_ pattern: SignalPattern) -> [Int64] {
        var edges: [Int64] = pattern.isOn(at: .zero) ? [0] : []
        var level = pattern.isOn(at: .zero)
        var elapsed = Duration.zero
        while let next = pattern.nextChange(after: elapsed), edges.count < 100 {
            elapsed = next
            #expect(pattern.isOn(at: elapsed) != level)
            // Nothing happens before the deadline.
            #expect(pattern.isOn(at: elapsed - .nanoseconds(1)) == level)
            level.toggle()
            edges.append(elapsed.wholeMilliseconds)
        }
        #expect(!level)
        return edges
    }

    @Test func threeTimes() {
        #expect(
            edges(SignalPattern(on: .milliseconds(100), off: .milliseconds(50), count: 3)) == [
                0, 100, 150, 250, 300, 400,
            ])
    }

    @Test func once() {
        #expect(edges(SignalPattern(on: .milliseconds(100), off: .zero, count: 1)) == [0, 100])
    }

    @Test func never() {
        #expect(edges(SignalPattern(on: .milliseconds(100), off: .milliseconds(100), count: 0)) == [])
        #expect(edges(SignalPattern(on: .zero, off: .zero, count: 3)) == [])
        #expect(edges(SignalPattern(on: .seconds(-1), off: .seconds(-1), count: -1)) == [])
    }

    @Test func nothingBeforeTheBeginning() {
        let pattern = SignalPattern(on: .milliseconds(100), off: .zero, count: 1)
        #expect(!pattern.isOn(at: .milliseconds(-1)))
    }

    @Test func longAfterTheEnd() {
        let pattern = SignalPattern(on: .milliseconds(100), off: .milliseconds(100), count: 3)
        #expect(!pattern.isOn(at: .seconds(9_000_000_000)))
        #expect(pattern.nextChange(after: .seconds(9_000_000_000)) == nil)
    }
}
