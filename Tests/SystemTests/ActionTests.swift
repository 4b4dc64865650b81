// SPDX-License-Identifier: Apache-2.0

import TestSupport
import CLinux
import Glibc
import Testing
import Timekeeping

@testable import System

/// Every loop runs on a thread of its own: a loop that blocked a thread of the global pool could prevent the code it
/// waits for from running.
@Suite struct ActionTests {
    @Test func actionsRunOnTheLoopInTheirOrder() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let threads = Shared<[UInt]>([])
            #expect(!reactor.isOnLoop)
            for _ in 0..<3 { reactor.perform { threads.update { $0.append(readerd_thread()) } } }
            reactor.perform {
                #expect(reactor.isOnLoop)
                startThread {
                    #expect(!reactor.isOnLoop)
                    reactor.perform { reactor.stop() }
                }
            }
            try run(reactor)
            #expect(threads.value == [readerd_thread(), readerd_thread(), readerd_thread()])
            #expect(!reactor.isOnLoop)
        }
    }

    /// An action that adds itself again gets one turn at a time, so descriptors and timers are served between.
    @Test func actionsThatAddActionsDoNotStarveDescriptorsAndTimers() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let ends = Ends.pipe()
            let isOver = Shared(false)
            @Sendable func again() {
                if isOver.value { reactor.stop() } else { reactor.perform(again) }
            }
            reactor.perform(again)
            reactor.schedule(at: reactor.now + .milliseconds(1)) { ends.send() }
            let watch = try reactor.watch(ends.one, .readable) { _ in
                _ = ends.receive()
                isOver.update { $0 = true }
            }
            try run(reactor)
            #expect(isOver.value)
            watch.cancel()
        }
    }

    /// The whole chain is called, one link a turn: each action wakes the loop for the next.
    @Test func anActionAddedByAnActionIsCalledInALaterTurn() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let calls = Shared<[String]>([])
            reactor.perform {
                reactor.perform {
                    calls.update { $0.append("added") }
                    reactor.stop()
                }
                reactor.schedule(at: .origin) { calls.update { $0.append("timer") } }
                calls.update { $0.append("first") }
            }
            try run(reactor)
            #expect(calls.value == ["first", "timer", "added"])
        }
    }

    @Test func actionsFromManyThreadsAllRunInTheOrderOfEachThread() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let seen = Shared<[[Int]]>([[], [], [], []])
            let done = Shared(0)
            for thread in 0..<4 {
                startThread {
                    for value in 0..<2000 {
                        reactor.perform { seen.update { $0[thread].append(value) } }
                    }
                    reactor.perform {
                        done.update { $0 += 1 }
                        if done.value == 4 { reactor.stop() }
                    }
                }
            }
            try run(reactor)
            let allInOrder = seen.value.allSatisfy { $0.elementsEqual(0..<2000) }
            #expect(allInOrder)
        }
    }

    @Test func stopFromAnotherThreadWakesTheLoop() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            reactor.perform {
                startThread { reactor.stop() }
            }
            try run(reactor)
        }
    }

    @Test func aStopBeforeTheRunEndsThatRunOnly() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            reactor.stop()
            try run(reactor)
            var hasRun = false
            reactor.schedule(at: .origin) {
                hasRun = true
                reactor.stop()
            }
            try run(reactor)
            #expect(hasRun)
        }
    }
}
