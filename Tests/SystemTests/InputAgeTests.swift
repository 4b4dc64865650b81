// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Timekeeping

@testable import System

/// The bound for the time that input has waited: what arrives while the loop does not look is never reported as fresh.
@Suite struct InputAgeTests {
    private static let stall = Duration.milliseconds(40)

    private func stall() { usleep(40_000) }

    @Test func inputThatArrivesDuringAHandlerHasItsAge() throws {
        let reactor = try Reactor()
        let (slow, late) = (Ends.pipe(), Ends.pipe())
        var age: Duration?
        _ = try reactor.watch(slow.one, .readable) { _ in
            _ = slow.receive()
            late.send()
            stall()
        }
        _ = try reactor.watch(late.one, .readable) { _ in
            age = reactor.inputAge
            _ = late.receive()
            reactor.stop()
        }
        slow.send()
        try run(reactor)
        #expect(try #require(age) >= InputAgeTests.stall)
    }

    @Test func inputThatWaitsBeforeTheLoopRunsHasItsAge() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var age: Duration?
        _ = try reactor.watch(ends.one, .readable) { _ in
            age = reactor.inputAge
            reactor.stop()
        }
        ends.send()
        stall()
        try run(reactor)
        #expect(try #require(age) >= InputAgeTests.stall)
    }

    /// A handler that reads one octet of five in each turn.
    @Test func aBacklogAges() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var ages: [Duration] = []
        _ = try reactor.watch(ends.one, .readable) { _ in
            ages.append(reactor.inputAge)
            _ = ends.receive()
            if ages.count == 5 { reactor.stop() }
            usleep(10_000)
        }
        for octet: UInt8 in 1...5 { ends.send(octet) }
        try run(reactor)
        #expect(zip(ages, ages.dropFirst()).allSatisfy { $1 >= $0 + .milliseconds(10) })
    }

    /// Input in each turn is no backlog while each handler reads all of it.
    @Test func drainedInputDoesNotAge() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var looks: [Instant] = []
        var watch: Watch?
        watch = try reactor.watch(ends.one, .readable) { _ in
            looks.append(reactor.inputSince)
            _ = ends.receive()
            watch?.drained()
            if looks.count == 5 { reactor.stop() } else { ends.send() }
            stall()
        }
        ends.send()
        try run(reactor)
        // Each is as old as the turn before it, in which it was sent, and no older.
        #expect(zip(looks, looks.dropFirst()).dropFirst().allSatisfy { $0 < $1 })
    }

    @Test func inputThatWasHeldBackHasItsAge() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var age: Duration?
        let watch = try reactor.watch(ends.one, .readable) { _ in
            age = reactor.inputAge
            reactor.stop()
        }
        reactor.schedule(at: .origin) {
            do { try watch.modify([]) } catch { Issue.record(error) }
            ends.send()
        }
        reactor.schedule(at: reactor.now + InputAgeTests.stall) {
            do { try watch.modify(.readable) } catch { Issue.record(error) }
        }
        try run(reactor)
        #expect(try #require(age) >= InputAgeTests.stall)
    }

    /// The age of input that a descriptor holds when its watch begins: that of the input that brought the descriptor.
    @Test func aNewWatchInheritsTheAge() throws {
        let reactor = try Reactor()
        let (listener, client) = (Ends.pipe(), Ends.sockets())
        var age: Duration?
        _ = try reactor.watch(listener.one, .readable) { _ in
            _ = listener.receive()
            do {
                _ = try reactor.watch(client.one, .readable) { _ in
                    age = reactor.inputAge
                    reactor.stop()
                }
            } catch {
                Issue.record(error)
            }
        }
        listener.send()
        client.send()
        stall()
        try run(reactor)
        #expect(try #require(age) >= InputAgeTests.stall)
    }

    /// An idle loop looks at least every `longestWait`: input after a long pause is not taken for old.
    @Test func anIdleLoopBoundsTheAge() throws {
        let reactor = try Reactor()
        reactor.longestWait = .milliseconds(1)
        let ends = Ends.pipe()
        var age: Duration?
        var sentAt = Instant.origin
        _ = try reactor.watch(ends.one, .readable) { _ in
            age = reactor.inputAge
            reactor.stop()
        }
        var turn: UInt64 = 0
        // Many turns without input, then some.
        reactor.schedule(at: reactor.now + .milliseconds(200)) {
            turn = reactor.turns
            sentAt = reactor.lastLook
            ends.send()
        }
        let started = reactor.now
        try run(reactor)
        #expect(turn > 2)
        // The bound counts from the last look before the input, not from the loop's start.
        #expect(sentAt > started)
        #expect(try #require(age) <= reactor.now - sentAt)
    }
}
