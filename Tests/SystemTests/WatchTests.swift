// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Testing
import Timekeeping

@testable import System

@Suite struct WatchTests {
    @Test func tellsAgainWhatWasNotTaken() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var calls: [Readiness] = []
        let watch = try reactor.watch(ends.one, .readable) { readiness in
            calls.append(readiness)
            if calls.count == 3 {
                #expect(ends.receive() == 0x55)
                reactor.schedule(at: .origin) { reactor.stop() }
            }
        }
        ends.send()
        try run(reactor)
        #expect(calls == [.readable, .readable, .readable])
        #expect(watch.isActive)
    }

    @Test func waitsForWhatItIsModifiedTo() throws {
        let reactor = try Reactor()
        let ends = Ends.sockets()
        var calls: [Readiness] = []
        let watch = try reactor.watch(ends.one, .readable) { calls.append($0) }
        try runTurns(reactor)
        #expect(calls.isEmpty)
        try watch.modify([.readable, .writable])
        reactor.schedule(at: .origin) { reactor.stop() }
        try run(reactor)
        #expect(calls == [.writable])
        try watch.modify([])
        ends.send()
        try runTurns(reactor)
        #expect(calls == [.writable])
        try watch.modify(.readable)
        reactor.schedule(at: .origin) { reactor.stop() }
        try run(reactor)
        #expect(calls == [.writable, .readable])
    }

    @Test func aHandlerCancelsItsOwnWatch() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var calls = 0
        var watch: Watch?
        watch = try reactor.watch(ends.one, .readable) { _ in
            calls += 1
            watch?.cancel()
            watch?.cancel()
        }
        ends.send()
        try runTurns(reactor)
        #expect(calls == 1)
        #expect(watch?.isActive == false)
    }

    @Test func anEventOfAWatchThatWasCancelledInTheSameTurnIsNotDelivered() throws {
        let reactor = try Reactor()
        let ends = (0..<8).map { _ in Ends.pipe() }
        var calls: [Int] = []
        var watches: [Watch] = []
        for (index, pipe) in ends.enumerated() {
            pipe.send()
            watches.append(
                try reactor.watch(pipe.one, .readable) { _ in
                    calls.append(index)
                    for watch in watches { watch.cancel() }
                })
        }
        try runTurns(reactor)
        #expect(calls.count == 1)
    }

    @Test func aSlotThatIsUsedAgainDoesNotGetTheEventsOfTheOneBefore() throws {
        let reactor = try Reactor()
        let (first, second, quiet) = (Ends.pipe(), Ends.pipe(), Ends.pipe())
        var calls: [String] = []
        var watches: [Watch] = []
        func replaceAll(_ name: String) {
            calls.append(name)
            for watch in watches { watch.cancel() }
            do {
                watches = [
                    try reactor.watch(quiet.one, .readable) { _ in calls.append("stale") }
                ]
            } catch {
                Issue.record(error)
            }
        }
        first.send()
        second.send()
        watches = [
            try reactor.watch(first.one, .readable) { _ in replaceAll("told") },
            try reactor.watch(second.one, .readable) { _ in replaceAll("told") },
        ]
        let tokens = watches.map(\.token)
        try runTurns(reactor)
        #expect(calls == ["told"])
        // The test is meaningful only if the slot was reused, by a watch with another token.
        let slot = watches[0].token & 0xFFFF_FFFF
        #expect(tokens.contains { $0 & 0xFFFF_FFFF == slot } && !tokens.contains(watches[0].token))
    }

    @Test func refusesWhatCannotBeWatched() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        let watch = try reactor.watch(ends.one, .readable) { _ in }
        #expect(throws: SystemError(call: "epoll_ctl", code: EEXIST)) {
            _ = try reactor.watch(ends.one, .writable) { _ in }
        }
        let file = open("/proc/self/status", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(throws: SystemError(call: "epoll_ctl", code: EPERM)) { _ = try reactor.watch(file, .readable) { _ in } }
        #expect(throws: SystemError(call: "epoll_ctl", code: EBADF)) { _ = try reactor.watch(-1, .readable) { _ in } }
        // The slot of a refused watch is free again.
        let next = try reactor.watch(ends.other, .writable) { _ in }
        #expect(watch.token & 0xFFFF_FFFF == 0 && next.token & 0xFFFF_FFFF == 1)
        #expect(SystemError(call: "epoll_ctl", code: EBADF).description == "epoll_ctl: Bad file descriptor")
    }

    // MARK: Ends

    @Test func aHangUpIsToldAndDoesNotSpinTheLoop() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var calls: [Readiness] = []
        let watch = try reactor.watch(ends.one, .readable) { calls.append($0) }
        ends.closeOther()
        try runTurns(reactor)
        #expect(calls == [[.readable, .hangup]])
        #expect(!watch.isActive)
    }

    @Test func aHangUpIsToldToWhoWaitsForNothing() throws {
        let reactor = try Reactor()
        let ends = Ends.sockets()
        var calls: [Readiness] = []
        let watch = try reactor.watch(ends.one, []) { calls.append($0) }
        ends.closeOther()
        try runTurns(reactor)
        #expect(calls == [.hangup])
        #expect(!watch.isActive)
    }

    @Test func anErrorIsToldAndDoesNotSpinTheLoop() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var calls: [Readiness] = []
        let watch = try reactor.watch(ends.other, .writable) { calls.append($0) }
        ends.closeOne()
        try runTurns(reactor)
        #expect(calls == [[.writable, .error]])
        #expect(!watch.isActive)
    }

    /// Everything sent before the end is read, however little a handler reads at a time, and then the end is
    /// reported.
    @Test(arguments: [true, false]) func everythingBeforeTheEndIsRead(isPipe: Bool) throws {
        let reactor = try Reactor()
        let ends = isPipe ? Ends.pipe() : Ends.sockets()
        var octets: [UInt8] = []
        var ended = 0
        let watch = try reactor.watch(ends.one, .readable) { _ in
            if let octet = ends.receive() { octets.append(octet) } else { ended += 1 }
        }
        for octet: UInt8 in 1...5 { ends.send(octet) }
        ends.closeOther()
        try runTurns(reactor)
        #expect(octets == [1, 2, 3, 4, 5])
        #expect(ended == 1)
        #expect(!watch.isActive)
    }

    @Test func aHalfClosedSocketIsStillWritable() throws {
        let reactor = try Reactor()
        let ends = Ends.sockets()
        var calls: [Readiness] = []
        let watch = try reactor.watch(ends.one, .readable) { calls.append($0) }
        shutdown(ends.other, CInt(SHUT_WR))
        try runTurns(reactor)
        #expect(calls == [[.readable, .hangup]])
        #expect(watch.isActive)
        calls.removeAll()
        try watch.modify([.readable, .writable])
        reactor.schedule(at: .origin) { reactor.stop() }
        try run(reactor)
        #expect(calls == [.writable])
        ends.closeOther()
        try runTurns(reactor, 200)
        #expect(calls.last?.contains(.hangup) == true)
        #expect(!watch.isActive)
    }

    @Test func aDescriptorThatWasClosedFirstCanBeCancelledLater() throws {
        let reactor = try Reactor()
        let ends = Ends.pipe()
        var calls = 0
        let watch = try reactor.watch(ends.one, .readable) { _ in
            calls += 1
            ends.closeOne()
        }
        ends.send()
        try runTurns(reactor)
        #expect(calls == 1)
        watch.cancel()
        #expect(!watch.isActive)
    }

    @Test func aWatchLetsGoOfItsHandler() throws {
        final class Token {}
        let reactor = try Reactor()
        let ends = Ends.pipe()
        weak var observed: Token?
        let watch: Watch
        do {
            let token = Token()
            observed = token
            watch = try reactor.watch(ends.one, .readable) { _ in _ = token }
        }
        #expect(observed != nil)
        watch.cancel()
        #expect(observed == nil)
    }
}
