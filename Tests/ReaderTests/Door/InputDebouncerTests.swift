// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Reader

@Suite struct InputDebouncerTests {
    private func at(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    @Test func theFirstLevelIsTakenAsItIs() {
        for level in [true, false] {
            var input = InputDebouncer(time: .milliseconds(20))
            #expect(input.level == nil && input.nextDeadline == nil)
            #expect(input.receive(level, since: at(0)) == level)
            #expect(input.level == level && input.nextDeadline == nil)
        }
    }

    @Test func aLevelCountsOnceItHasLasted() {
        var input = InputDebouncer(time: .milliseconds(20))
        _ = input.receive(false, since: at(0))
        #expect(input.receive(true, since: at(100)) == nil)
        #expect(input.nextDeadline == at(120))
        #expect(input.advance(to: at(119)) == nil)
        #expect(input.advance(to: at(120)) == true)
        #expect(input.level == true && input.nextDeadline == nil)
    }

    /// A contact that bounces for 15 ms counts 20 ms after its last bounce, once.
    @Test func bouncesAreOneChange() {
        var input = InputDebouncer(time: .milliseconds(20))
        _ = input.receive(false, since: at(0))
        for millisecond in 0..<15 { #expect(input.receive(millisecond % 2 == 0, since: at(100 + millisecond)) == nil) }
        #expect(input.advance(to: at(133)) == nil)
        #expect(input.advance(to: at(134)) == true)
        #expect(input.advance(to: at(10_000)) == nil)
    }

    @Test(arguments: 1..<20) func aSpikeThatIsTooShortIsNone(milliseconds: Int) {
        var input = InputDebouncer(time: .milliseconds(20))
        _ = input.receive(false, since: at(0))
        #expect(input.receive(true, since: at(100)) == nil)
        #expect(input.receive(false, since: at(100 + milliseconds)) == nil)
        #expect(input.nextDeadline == nil && input.advance(to: at(1000)) == nil)
    }

    /// IEC 60839-11-1: digital inputs with an active period of more than 400 ms are processed. With the longest time
    /// that may be configured, and also when a busy process gets both edges at once.
    @Test(arguments: [0, 20, 200]) func activePeriodsOver400MillisecondsAreProcessed(time: Int) {
        var input = InputDebouncer(time: .milliseconds(time))
        _ = input.receive(false, since: at(0))
        var told: [Bool] = []
        for (level, edge) in [(true, 1000), (false, 1401)] {
            if let change = input.receive(level, since: at(edge)) { told.append(change) }
        }
        if let change = input.advance(to: at(9000)) { told.append(change) }
        #expect(told == [true, false])
    }

    @Test func withoutATimeEveryEdgeCounts() {
        var input = InputDebouncer(time: .zero)
        #expect(input.receive(false, since: at(0)) == false)
        #expect(input.receive(true, since: at(0)) == true)
        #expect(input.receive(false, since: at(0)) == false)
        #expect(input.nextDeadline == nil)
    }

    /// The line of a request to exit that comes back active opens nothing before it was seen at rest.
    @Test func aLostInputHasToBeSeenAtRest() {
        var input = InputDebouncer(time: .milliseconds(20))
        _ = input.receive(true, since: at(0))
        input.lose(rests: true)
        #expect(input.receive(true, since: at(100)) == nil && input.advance(to: at(1000)) == nil)
        #expect(input.receive(false, since: at(2000)) == nil)
        #expect(input.receive(true, since: at(3000)) == nil && input.advance(to: at(3020)) == true)
    }

    @Test func anotherLostInputKeepsItsLevel() {
        var input = InputDebouncer(time: .milliseconds(20))
        _ = input.receive(true, since: at(0))
        _ = input.receive(false, since: at(100))
        input.lose(rests: false)
        #expect(input.level == true && input.nextDeadline == nil)
        #expect(input.receive(false, since: at(200)) == nil && input.advance(to: at(220)) == false)
    }
}
