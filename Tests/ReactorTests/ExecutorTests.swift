import TestSupport
import CLinux
import Glibc
import Testing
import Timekeeping

@testable import Reactor

private actor Resident {
    let reactor: Reactor
    nonisolated var unownedExecutor: UnownedSerialExecutor { reactor.asUnownedSerialExecutor() }
    private var count = 0

    init(_ reactor: Reactor) { self.reactor = reactor }

    func visit() -> UInt {
        count += 1
        return readerd_thread()
    }

    nonisolated func enterWithoutWaiting() -> UInt {
        assumeIsolated { $0.visit() }
    }
}

/// An actor of the global pool.
private actor Elsewhere {
    func thread() -> UInt { readerd_thread() }
}

/// Every loop runs on a thread of its own: a loop that blocked a thread of the global pool could prevent the code it
/// waits for from running.
@Suite struct ExecutorTests {
    @Test func aTaskWithThePreferenceStaysOnTheLoop() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let threads = Shared<[UInt]>([])
            let away = Shared<UInt>(0)
            Task(executorPreference: reactor) {
                threads.update { $0.append(readerd_thread()) }
                let elsewhere = await Elsewhere().thread()
                away.update { $0 = elsewhere }
                threads.update { $0.append(readerd_thread()) }
                await Task.yield()
                threads.update { $0.append(readerd_thread()) }
                reactor.stop()
            }
            try run(reactor)
            #expect(threads.value == [readerd_thread(), readerd_thread(), readerd_thread()])
            #expect(away.value != 0)
        }
    }

    @Test func anActorOfTheReactorRunsOnTheLoop() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let resident = Resident(reactor)
            let threads = Shared<[UInt]>([])
            Task.detached {
                let first = await resident.visit()
                let second = await resident.visit()
                threads.update { $0 = [first, second] }
                reactor.stop()
            }
            try run(reactor)
            #expect(threads.value == [readerd_thread(), readerd_thread()])
        }
    }

    @Test func aHandlerEntersAnActorOfTheReactorWithoutWaiting() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let resident = Resident(reactor)
            var thread: UInt = 0
            reactor.schedule(at: .origin) {
                thread = resident.enterWithoutWaiting()
                reactor.stop()
            }
            try run(reactor)
            #expect(thread == readerd_thread())
        }
    }

    @Test func knowsWhetherItIsOnTheLoop() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            #expect(reactor.isIsolatingCurrentContext() == false)
            reactor.perform {
                #expect(reactor.isIsolatingCurrentContext() == true)
                reactor.checkIsolated()
                startThread {
                    #expect(reactor.isIsolatingCurrentContext() == false)
                    reactor.stop()
                }
            }
            try run(reactor)
            #expect(reactor.isIsolatingCurrentContext() == false)
        }
    }

    /// Jobs from the loop's own thread leave the eventfd alone.
    @Test func workFromTheLoopWakesNobody() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let visits = Shared(0)
            reactor.perform {
                var count: UInt64 = 0
                // The wake-up already signalled for this action is consumed first.
                #expect(readerd_read(reactor.wakeDescriptor.raw, &count, 8) == 8)
                Task(executorPreference: reactor) {
                    for _ in 0..<1000 {
                        visits.update { $0 += 1 }
                        await Task.yield()
                    }
                    var count: UInt64 = 0
                    #expect(readerd_read(reactor.wakeDescriptor.raw, &count, 8) == Int64(-EAGAIN))
                    reactor.stop()
                }
            }
            try run(reactor)
            #expect(visits.value == 1000)
        }
    }

    @Test func workThatBreedsWorkDoesNotStarveDescriptorsAndTimers() async throws {
        try await onNewThread {
            let reactor = try Reactor()
            let ends = Ends.pipe()
            let isOver = Shared(false)
            Task(executorPreference: reactor) {
                while !isOver.value { await Task.yield() }
                reactor.stop()
            }
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

    @Test func workFromManyThreadsAllComesInTheOrderOfEachThread() async throws {
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
