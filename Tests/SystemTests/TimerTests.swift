// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import System

@Suite struct TimerTests {
    @Test func actionsComeInOrderOfTheirDeadlines() throws {
        let reactor = try Reactor()
        let start = reactor.now
        var calls: [(String, Instant)] = []
        for (name, milliseconds) in [("c", 6), ("a", 2), ("b", 4), ("past", -1000)] {
            reactor.schedule(at: start + .milliseconds(milliseconds)) { calls.append((name, reactor.now)) }
        }
        reactor.schedule(at: start + .milliseconds(8)) { reactor.stop() }
        try run(reactor)
        #expect(calls.map(\.0) == ["past", "a", "b", "c"])
        #expect(calls[1].1 >= start + .milliseconds(2))
        #expect(calls[3].1 >= start + .milliseconds(6))
    }

    @Test func aDeadlineThatHasPassedIsNotCalledAtOnce() throws {
        let reactor = try Reactor()
        var called = false
        let timer = reactor.schedule(at: Instant(nanoseconds: .min)) {
            called = true
            reactor.stop()
        }
        #expect(!called && timer.isPending)
        try run(reactor)
        #expect(called && !timer.isPending)
    }

    @Test func aCancelledTimerIsNotCalled() throws {
        let reactor = try Reactor()
        var calls: [String] = []
        let timer = reactor.schedule(at: reactor.now + .milliseconds(1)) { calls.append("cancelled") }
        timer.cancel()
        timer.cancel()
        #expect(!timer.isPending)
        reactor.schedule(at: reactor.now + .milliseconds(3)) { reactor.stop() }
        try run(reactor)
        #expect(calls.isEmpty)
        #expect(reactor.deadlines.count == 0)
    }

    @Test func aTimerFollowsTheDeadlineThatIsSet() throws {
        let reactor = try Reactor()
        var calls: [String] = []
        let timer = reactor.timer { calls.append("timer") }
        #expect(!timer.isPending)
        timer.set(nil)
        #expect(!timer.isPending && reactor.deadlines.count == 0)
        let deadline = reactor.now + .milliseconds(1)
        timer.set(deadline)
        #expect(timer.isPending && timer.deadline == deadline)
        reactor.schedule(at: deadline) { calls.append("other") }
        // Set to what it is: the order among equal deadlines stays.
        timer.set(deadline)
        reactor.schedule(at: deadline + .milliseconds(2)) { reactor.stop() }
        try run(reactor)
        #expect(calls == ["timer", "other"])
        timer.set(deadline)
        #expect(timer.isPending)
        timer.set(nil)
        #expect(!timer.isPending && reactor.deadlines.count == 0)
    }

    @Test func anActionCancelsOneThatIsDueInTheSameTurn() throws {
        let reactor = try Reactor()
        var calls: [String] = []
        var second: Timer?
        reactor.schedule(at: .origin) {
            calls.append("first")
            second?.cancel()
        }
        second = reactor.schedule(at: .origin) { calls.append("second") }
        reactor.schedule(at: .origin) { reactor.stop() }
        try run(reactor)
        #expect(calls == ["first"])
    }

    @Test func rescheduledTimersAreCalledAgain() throws {
        let reactor = try Reactor()
        var calls = 0
        var timer: Timer?
        timer = reactor.schedule(at: .origin) {
            calls += 1
            if calls < 5 { timer?.reschedule(at: .origin) } else { reactor.stop() }
        }
        try run(reactor)
        #expect(calls == 5)
        timer?.cancel()
        timer?.reschedule(at: .origin)
        reactor.schedule(at: .origin) { reactor.stop() }
        try run(reactor)
        #expect(calls == 6)
    }

    @Test func aTimerDueAtOnceForEverDoesNotStarveTheRest() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var timer: Timer?
        timer = reactor.schedule(at: .origin) { timer?.reschedule(at: .origin) }
        var sawLater = false
        reactor.schedule(at: reactor.now + .milliseconds(2)) {
            sawLater = true
            ends.send()
        }
        let watch = try reactor.watch(ends.one, .readable) { _ in reactor.stop() }
        try run(reactor)
        #expect(sawLater)
        watch.cancel()
        timer?.cancel()
    }

    @Test func aDeadlineMovedAwayDoesNotCallEarly() throws {
        let reactor = try Reactor()
        let start = reactor.now
        var at: Instant?
        let timer = reactor.schedule(at: start + .milliseconds(1)) {
            at = reactor.now
            reactor.stop()
        }
        reactor.schedule(at: .origin) { timer.reschedule(at: start + .milliseconds(5)) }
        try run(reactor)
        #expect(try #require(at) >= start + .milliseconds(5))
    }
}
