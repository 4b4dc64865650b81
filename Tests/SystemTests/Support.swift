// SPDX-License-Identifier: Apache-2.0

import TestSupport
import CLinux
import Glibc
import Testing
import Timekeeping

@testable import System

/// Both ends of a pipe or a socket pair, closed at the end of the test.
final class Ends {
    var one: CInt = -1
    var other: CInt = -1

    /// A pipe: `one` reads, `other` writes.
    static func pipe() -> Ends {
        let ends = Ends()
        var pair: [CInt] = [-1, -1]
        #expect(Glibc.pipe(&pair) == 0)
        for descriptor in pair { #expect(fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0) }
        (ends.one, ends.other) = (pair[0], pair[1])
        return ends
    }

    /// A connected pair of stream sockets.
    static func sockets() -> Ends {
        let ends = Ends()
        var pair: [CInt] = [-1, -1]
        let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_NONBLOCK.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
        #expect(socketpair(AF_UNIX, kind, 0, &pair) == 0)
        (ends.one, ends.other) = (pair[0], pair[1])
        return ends
    }

    func closeOne() {
        if one >= 0 { close(one) }
        one = -1
    }

    func closeOther() {
        if other >= 0 { close(other) }
        other = -1
    }

    /// Writes one octet to the other end.
    func send(_ octet: UInt8 = 0x55) {
        var octet = octet
        #expect(write(other, &octet, 1) == 1)
    }

    /// Reads one octet from this end; nil at the end or in an error.
    func receive() -> UInt8? {
        var octet: UInt8 = 0
        return read(one, &octet, 1) == 1 ? octet : nil
    }

    deinit {
        closeOne()
        closeOther()
    }
}

/// Runs the loop until it is stopped; records an issue if it is not.
func run(_ reactor: Reactor, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let limit = reactor.schedule(at: reactor.now + .seconds(TestTimeout.seconds)) {
        Issue.record("the loop was not stopped", sourceLocation: sourceLocation)
        reactor.stop()
    }
    try reactor.run()
    limit.cancel()
}

/// Runs enough turns for every descriptor that is ready now to be reported many times.
func runTurns(_ reactor: Reactor, _ count: Int = 50) throws {
    var left = count
    var timer: Timer?
    timer = reactor.schedule(at: .origin) {
        left -= 1
        if left == 0 { reactor.stop() } else { timer?.reschedule(at: .origin) }
    }
    try run(reactor)
    timer = nil
}

/// A value shared between threads.
final class Shared<Value: Sendable>: Sendable {
    private let locked: Locked<Value>

    init(_ value: Value) { locked = Locked(value) }

    var value: Value { locked.withLock { $0 } }

    func update(_ body: (inout Value) -> Void) { locked.withLock { body(&$0) } }
}
