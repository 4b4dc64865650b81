// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import MatterSession
@testable import MatterTestSupport

/// Core 4.12: reliable messages over UDP, on virtual time.
struct RetransmissionTests {
    /// 4.12.8: interval × 1.1 × 1.6^max(0, n − 1), and up to a quarter more.
    @Test func backOff() {
        let interval = Duration.milliseconds(500)
        let waits = (0..<5).map { Retransmission.backOff(interval, attempt: $0, jitter: 0).wholeMilliseconds }
        #expect(waits == [550, 550, 880, 1408, 2252])
        #expect(Retransmission.backOff(interval, attempt: 0, jitter: 255) < .microseconds(687_500))
        #expect(Retransmission.backOff(interval, attempt: 0, jitter: 255) > .milliseconds(686))
        let longest = Retransmission.backOff(.seconds(3600), attempt: 100, jitter: 255)
        #expect(longest < .seconds(10 * 3600))
    }

    /// The active interval of a peer that was heard within its threshold, else the idle interval.
    @Test func intervals() {
        var parameters = SessionParameters()
        let heard = Instant.origin
        func interval(after milliseconds: Int) -> Duration {
            Retransmission.interval(of: parameters, lastHeard: heard, at: heard + .milliseconds(milliseconds))
        }
        #expect(interval(after: 3999) == .milliseconds(300) && interval(after: 4000) == .milliseconds(500))
        parameters.idleInterval = 2000
        parameters.activeInterval = 1000
        parameters.activeThreshold = 100
        #expect(interval(after: 99) == .milliseconds(1000) && interval(after: 100) == .milliseconds(2000))
    }

    /// An answer within 200 ms carries the acknowledgement; otherwise it is sent on its own.
    @Test func acknowledgements() throws {
        let (rig, session) = try SessionRig.pase()
        #expect(rig.receive(try session.message(8, [1], exchange: 7)) == [])
        let exchange = try #require(rig.delivered?.exchange)
        #expect(rig.advance(by: 199).isEmpty)
        let acknowledgement = rig.advance(by: 1)
        #expect(acknowledgement.map(\.time) == [1])
        let alone = try session.read(acknowledgement[0].octets)
        #expect(alone.proto.opcode == 0x10 && alone.proto.protocolID == 0 && !alone.isReliable)
        #expect(alone.acknowledged == session.counter && alone.payload == [] && !alone.proto.isFromInitiator)
        // The late answer acknowledges nothing more.
        let answer = try session.read(rig.sendOne([2], on: exchange))
        #expect(answer.acknowledged == nil && answer.isReliable && answer.proto.exchange == 7)

        rig.receive(try session.message(8, [3], exchange: 8))
        let next = try #require(rig.delivered?.exchange)
        rig.advance(by: 150)
        let prompt = try session.read(rig.sendOne([4], on: next))
        #expect(prompt.acknowledged == session.counter)
        #expect(rig.advance(by: 100).map { try? session.read($0.octets).proto.opcode }.contains(0x10) == false)
    }

    /// Identical octets at the times of the specification; after five transmissions the exchange has failed.
    @Test func retransmissions() throws {
        let (rig, session) = try SessionRig.pase()
        rig.receive(try session.message(8, exchange: 7))
        let first = try rig.reply([1])
        _ = rig.drain()
        let again = rig.advance(by: 60_000)
        #expect(again.count == 4 && again.allSatisfy { $0.octets == first })
        // 330, 330, 528, 844.8 ms apart (active, 300 ms), up to a quarter more; then 1,351.68 ms of silence.
        var earliest = 0
        for (retransmission, wait) in zip(again, [330, 330, 528, 844]) {
            earliest += wait
            #expect((earliest...earliest * 5 / 4 + 1).contains(retransmission.time))
        }
        #expect(rig.drain() == ["exchangeFailed"] && rig.channel.deadline == nil)
    }

    /// An acknowledgement ends the retransmission, also one of a later retransmission.
    @Test func acknowledgedInTheEnd() throws {
        let (rig, session) = try SessionRig.pase()
        rig.receive(try session.message(8, exchange: 7))
        let sent = try session.read(rig.reply([1]))
        #expect(rig.advance(by: 800).count >= 1)
        _ = rig.drain()
        rig.receive(try session.acknowledgement(sent.header.counter &+ 1, exchange: 7))
        rig.receive(try session.acknowledgement(sent.header.counter, exchange: 9))
        #expect(rig.channel.deadline != nil)
        rig.receive(try session.acknowledgement(sent.header.counter, exchange: 7))
        #expect(rig.channel.deadline == nil && rig.advance(by: 60_000).isEmpty)
    }

    /// 4.12.5.2.1: a duplicate is acknowledged again, and not delivered again.
    @Test func duplicates() throws {
        let (rig, session) = try SessionRig.pase()
        let message = try session.message(8, [9], exchange: 7)
        rig.receive(message)
        #expect(rig.drain() == ["received 8 09"])
        // The acknowledgement was still owed: it is sent now, and not again later.
        let again = rig.receive(message)
        #expect(again.count == 1 && rig.drain() == ["dropped duplicate"])
        #expect(try session.read(again[0]).acknowledged == session.counter)
        #expect(rig.advance(by: 1000).isEmpty)
        for _ in 0..<3 {
            let acknowledgement = try session.read(rig.answer(message))
            #expect(acknowledgement.proto.opcode == 0x10 && acknowledgement.acknowledged == session.counter)
        }
        let unreliable = try session.message(8, [9], exchange: 8, isReliable: false)
        rig.receive(unreliable)
        #expect(rig.receive(unreliable) == [])
    }

    /// A duplicate of an exchange that has ended is acknowledged as well.
    @Test func duplicateAfterTheEnd() throws {
        let (rig, session) = try SessionRig.pase()
        let message = try session.message(8, exchange: 7)
        let counter = session.counter
        rig.receive(message)
        let answer = try session.read(rig.reply([1]))
        rig.receive(try session.acknowledgement(answer.header.counter, exchange: 7))
        #expect(rig.channel.exchanges.isEmpty)
        let again = try session.read(rig.answer(message))
        #expect(again.acknowledged == counter && again.proto.exchange == 7 && !again.proto.isFromInitiator)
    }

    /// The second message of an exchange with an acknowledgement owed: it is sent first, as its own message.
    @Test func twoMessagesInARow() throws {
        let (rig, session) = try SessionRig.pase()
        rig.receive(try session.message(8, [1], exchange: 7))
        let first = session.counter
        let sent = rig.receive(try session.message(8, [2], exchange: 7))
        #expect(try sent.map { try session.read($0).acknowledged } == [first])
        #expect(rig.drain() == ["received 8 01", "received 8 02"])
    }

    /// An exchange that this node begins: I is set, the number is its own.
    @Test func ownExchange() throws {
        let (rig, session) = try SessionRig.pase()
        let exchange = try #require(rig.open(session.peerID))
        let report = try session.read(rig.sendOne([1], on: exchange, expectingReply: true))
        #expect(report.proto.isFromInitiator && report.isReliable && report.acknowledged == nil)
        rig.receive(
            try session.message(
                1, [0], exchange: report.proto.exchange, isFromInitiator: false,
                acknowledging: report.header.counter))
        #expect(rig.delivered?.exchange == exchange)
        rig.channel.closeExchange(exchange)
        let acknowledgement = rig.advance(by: 1000)
        #expect(acknowledgement.map(\.time) == [200] && rig.channel.deadline == nil)
        #expect(try session.read(acknowledgement[0].octets).proto.isFromInitiator)
        #expect(rig.open(0) == nil)
    }

    /// An acknowledged message without the answer that it expects fails after 40 s.
    @Test func noAnswer() throws {
        let (rig, session) = try SessionRig.pase()
        rig.receive(try session.message(2, exchange: 7))
        let exchange = try #require(rig.delivered?.exchange)
        let chunk = try session.read(rig.sendOne([1], on: exchange, expectingReply: true))
        rig.receive(try session.acknowledgement(chunk.header.counter, exchange: 7))
        _ = rig.drain()
        #expect(rig.advance(by: 39_999).isEmpty && rig.drain() == [])
        rig.advance(by: 1)
        #expect(rig.drain() == ["exchangeFailed"])
    }

    /// Over BTP, messages have neither R nor acknowledgements (4.12.1), whatever the peer sets.
    @Test func nothingOfThisOverBTP() throws {
        let (rig, session) = try SessionRig.pase(from: .ble(link: 3))
        rig.receive(try session.message(8, [1], exchange: 7), from: .ble(link: 3))
        let answer = try session.read(rig.reply([2]))
        #expect(!answer.isReliable && answer.acknowledged == nil && rig.channel.deadline == nil)
        let exchange = try #require(rig.open(session.peerID))
        let own = try session.read(rig.sendOne([3], on: exchange, expectingReply: true))
        #expect(!own.isReliable && rig.advance(by: 30_000).isEmpty)
    }

    /// Eight exchanges of the peer on a session; the ninth message is not acknowledged, so that it comes again.
    @Test func tooManyExchanges() throws {
        let (rig, session) = try SessionRig.pase()
        for exchange in 0..<8 as Range<UInt16> { rig.receive(try session.message(8, exchange: exchange)) }
        let last = try #require(rig.delivered?.exchange)
        _ = rig.drain()
        rig.advance(by: 200)
        let ninth = try session.message(8, [9], exchange: 8)
        #expect(rig.receive(ninth) == [] && rig.receive(ninth) == [])
        #expect(rig.drain() == ["dropped exhausted", "dropped exhausted"])
        rig.channel.closeExchange(last)
        rig.receive(ninth)
        #expect(rig.drain() == ["received 8 09"])
        for _ in 0..<8 {
            #expect(rig.open(session.peerID) != nil)
        }
        #expect(rig.open(session.peerID) == nil)
    }

    /// A payload beyond a datagram is the sender's mistake: the exchange fails, nothing is sent.
    @Test func tooLong() throws {
        let (rig, session) = try SessionRig.pase()
        rig.receive(try session.message(8, exchange: 7))
        let exchange = try #require(rig.delivered?.exchange)
        _ = rig.drain()
        #expect(rig.send([UInt8](repeating: 0, count: SecureChannel.payloadLimit + 1), on: exchange) == [])
        #expect(rig.drain() == ["exchangeFailed"])
        rig.receive(try session.message(8, exchange: 8))
        let longest = [UInt8](repeating: 0, count: SecureChannel.payloadLimit)
        #expect(try rig.reply(longest).count == 1_280 - 48)
    }
}
