// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import TestSupport
import Testing
import Timekeeping

@testable import System

/// The time that a received line may have waited: in the socket, and behind the line before it.
@Suite struct LineSocketTests {
    private static let stall: UInt32 = 40_000

    private static func isStalled(_ age: Duration) -> Bool { age >= .microseconds(Int64(stall)) }

    /// The socket of one end, which is then the socket's.
    private func socket(_ ends: Ends) -> LineSocket {
        defer { ends.one = -1 }
        return LineSocket(ends.one, lineLimit: 64, waitingLimit: 64)
    }

    private func send(_ text: String, to ends: Ends) {
        for octet in text.utf8 { ends.send(octet) }
    }

    @Test func aLineIsAsOldAsItsLastPieceMayBe() throws {
        let reactor = try Reactor()
        let ends = Ends.sockets()
        let socket = socket(ends)
        var ages: [Duration] = []
        try socket.watch(on: reactor) {
            socket.receive()
            // Two lines of one piece; the second is read later, and no younger.
            while socket.nextLine({ _ in }) != nil {
                ages.append(socket.lineAge)
                usleep(LineSocketTests.stall)
            }
            reactor.stop()
        }
        send("one\ntwo\n", to: ends)
        try run(reactor)
        #expect(ages.count == 2 && LineSocketTests.isStalled(ages[1]) && ages[1] > ages[0])
    }

    /// The loop has looked between the pieces: the second is young, although the first has waited in the buffer.
    @Test func aYoungLineBehindAnOldOneIsYoung() throws {
        let reactor = try Reactor()
        reactor.longestWait = .milliseconds(1)
        let ends = Ends.sockets()
        let socket = socket(ends)
        var sent: Instant?
        try socket.watch(on: reactor) {
            socket.receive()
            guard sent != nil else { return }
            #expect(socket.nextLine({ $0 }) == Array("old".utf8) && LineSocketTests.isStalled(socket.lineAge))
            #expect(socket.nextLine({ $0 }) == Array("young".utf8))
            let age = socket.lineAge
            #expect(sent.map { age <= reactor.now - $0 } == true)
            reactor.stop()
        }
        send("old\n", to: ends)
        reactor.schedule(at: reactor.now + .microseconds(Int64(LineSocketTests.stall) * 2)) {
            sent = reactor.lastLook
            send("young\n", to: ends)
        }
        try run(reactor)
    }

    /// A line whose beginning came long ago is as old as its end: nobody could have acted on it before.
    @Test func aLineInTwoPiecesIsAsOldAsTheSecond() throws {
        let reactor = try Reactor()
        reactor.longestWait = .milliseconds(1)
        let ends = Ends.sockets()
        let socket = socket(ends)
        var sent: Instant?
        try socket.watch(on: reactor) {
            socket.receive()
            guard let line = socket.nextLine({ $0 }) else { return }
            #expect(line == Array("halves".utf8))
            let age = socket.lineAge
            #expect(sent.map { age <= reactor.now - $0 } == true)
            reactor.stop()
        }
        send("hal", to: ends)
        reactor.schedule(at: reactor.now + .microseconds(Int64(LineSocketTests.stall))) {
            sent = reactor.lastLook
            send("ves\n", to: ends)
        }
        try run(reactor)
    }

    /// A client that connects in a loop, of which each connection is closed at once, does not hold the loop in
    /// `accept`.
    @Test func connectionsInALoopLeaveTheLoopItsTurns() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/socket"
        let listener = try UnixListener(path: path, mode: 0o600, isLocked: false)
        let reactor = try Reactor()
        var (accepted, inTurn, most, turn): (Int, Int, Int, UInt64) = (0, 0, 0, .max)
        try listener.start(reactor, paused: { Issue.record($0) }) { connection, _ in
            close(connection)
            if turn != reactor.turns { (turn, inTurn) = (reactor.turns, 0) }
            (accepted, inTurn) = (accepted + 1, inTurn + 1)
            most = max(most, inTurn)
            // The client's next one comes before the listener looks for it.
            var isConnecting = false
            close(readerd_connect_unix(path, path.utf8.count, false, &isConnecting))
            if accepted == 100 { reactor.stop() }
        }
        var isConnecting = false
        close(readerd_connect_unix(path, path.utf8.count, false, &isConnecting))
        try run(reactor)
        #expect(accepted >= 100 && most <= 9)
    }
}
