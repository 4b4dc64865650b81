// SPDX-License-Identifier: Apache-2.0

import AirRig
import CBOR
import HostLoop
import SimBLE
import Testing
import Timekeeping

/// Connections: of apps, and of peers that send junk, nothing, or another token.
@Suite struct ConnectionTests {
    /// The library reads one frame for its request: no event comes before the answer.
    @Test func eventsFollowTheAnswer() throws {
        let rig = try ServerRig()
        _ = try rig.ask(3)
        let early = try rig.connect()
        rig.run(.milliseconds(90))
        #expect(try rig.received(early).isEmpty)
        rig.send(ServerRig.frame(2), early)
        #expect(try rig.received(early).map { $0[0] } == [.integer(2)])
        // From then on, and on a connection without a request after 0.1 s, with those that came meanwhile.
        let silent = try rig.connect()
        rig.run(.milliseconds(1100))
        #expect(try rig.received(early).contains { $0[0] == .integer(128) })
        #expect(try rig.received(silent).contains { $0[0] == .integer(128) })
    }

    /// Requests in one write, and a request in single octets.
    @Test func requestsInAnyPieces() throws {
        let rig = try ServerRig()
        let id = try rig.connect()
        rig.send(ServerRig.frame(2) + ServerRig.frame(1, [8: .integer(1)]), id)
        #expect(try rig.received(id).map { $0[0] } == [.integer(2), .integer(1)])
        for octet in ServerRig.frame(2) { rig.send([octet], id) }
        #expect(try rig.received(id).map { $0[0] } == [.integer(2)])
    }

    /// A second request of a connection waits for the answer to the first.
    @Test func oneRequestAtATime() throws {
        let rig = try ServerRig()
        let id = try rig.connect()
        let peripheral: [Int64: CBORValue] = [30: .octets(rig.peripheral)]
        rig.send(ServerRig.frame(5, peripheral) + ServerRig.frame(13, peripheral), id)
        #expect(try rig.received(id).isEmpty)
        rig.run(.seconds(1))
        #expect(try rig.received(id).map { $0[0] } == [.integer(5), .integer(13)])
    }

    @Test func aWrongTokenEndsTheConnection() throws {
        let rig = try ServerRig()
        let id = try rig.connect()
        var frame = ServerRig.frame(3)
        frame[frame.count - 1] ^= 1
        rig.send(frame, id)
        // Operation 0: the request was not read.
        #expect(
            try rig.received(id).map { [$0[0], $0[1], $0[10]] } == [[.integer(0), .integer(1), .integer(-1)]])
        #expect(rig.closed == [id] && rig.notices.contains(.refused("wrong token")))
        #expect(!rig.notices.contains(.scanning(nil)))
        rig.send(ServerRig.frame(2), id)
        #expect(try rig.received(id).isEmpty)
    }

    @Test func junkEndsTheConnectionAndNoOther() throws {
        let rig = try ServerRig()
        let good = try rig.connect()
        for junk in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [0, 0, 0, 1, 0xFF], [0, 0, 0, 0]] {
            let id = try rig.connect()
            rig.send(junk, id)
            #expect(rig.closed.last == id)
        }
        rig.send(ServerRig.frame(2), good)
        #expect(try rig.received(good).map { $0[0] } == [.integer(2)])
        // With the token a message that is not understood is answered, and the connection stays.
        rig.send(ServerRig.frame(21), good)
        rig.send(ServerRig.frame(2), good)
        #expect(try rig.received(good).map { $0[10] } == [.integer(-2), nil])
        #expect(!rig.closed.contains(good))
    }

    /// A frame that does not end, and requests behind one that is not answered.
    @Test func slowAndGreedyPeersEnd() throws {
        let rig = try ServerRig()
        let slow = try rig.connect()
        rig.send([0, 0, 1], slow)
        rig.run(.seconds(9))
        #expect(!rig.closed.contains(slow))
        rig.run(.seconds(2))
        #expect(rig.closed == [slow])
        let greedy = try rig.connect()
        var absent = rig.peripheral
        absent[15] ^= 1
        rig.send(ServerRig.frame(5, [30: .octets(absent)]), greedy)
        rig.send([UInt8](repeating: 0, count: 64 * 1024), greedy)
        #expect(!rig.closed.contains(greedy))
        rig.send([0], greedy)
        #expect(rig.closed.contains(greedy))
    }

    /// A peer that connects again and again does not fill the log.
    @Test func refusalsAreReportedOnceASecond() throws {
        let rig = try ServerRig()
        for _ in 0..<30 {
            rig.send([0, 0, 0, 0], try rig.connect())
            rig.run(.milliseconds(100))
        }
        let refusals = rig.notices.count { if case .refused = $0 { true } else { false } }
        #expect(rig.closed.count == 30 && refusals == 3)
    }

    @Test func thereAreNoMoreThan32() throws {
        let rig = try ServerRig()
        let ids = try (0..<32).map { _ in try rig.connect() }
        for id in ids { rig.send(ServerRig.frame(2), id) }
        let further = rig.app.host.connected(at: rig.now)
        #expect(further == nil && rig.closed.isEmpty)
        rig.close(ids[0])
        _ = try rig.connect()
    }

    /// A stranger that is silent on all connections does not keep apps out.
    @Test func theNewestWithoutTheTokenMakesRoom() throws {
        let rig = try ServerRig()
        let app = try rig.connect()
        rig.send(ServerRig.frame(2), app)
        // The token with an operation that does not exist is a token too.
        let later = try rig.connect()
        rig.send(ServerRig.frame(21), later)
        let silent = try (0..<30).map { _ in try rig.connect() }
        rig.run(.seconds(1))
        #expect(try rig.ask(2)[0] == .integer(2) && rig.closed == [silent[29]])
        let further = try rig.connect()
        _ = try rig.connect()
        rig.run(.zero)
        #expect(rig.closed == [silent[29], further])
        rig.send(ServerRig.frame(2), app)
        #expect(try rig.received(app).last?[0] == .integer(2))
    }
}
