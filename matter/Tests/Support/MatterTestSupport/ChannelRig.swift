// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterSession
import MatterTLV
import TestSupport
import Testing
import Timekeeping
import VirtualTime

extension TransportPeer {
    /// The link-local address fe80::`last`, on interface 2.
    static func host(_ last: UInt8, port: UInt16 = 5541) -> TransportPeer {
        .udp(
            UDPPeer(
                address: [0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last], port: port, scope: 2))
    }
}

/// A channel on virtual time, with what it gave.
final class ChannelRig {
    var channel: SecureChannel
    var now = Instant.origin
    var effects: [ChannelEffect] = []

    init(_ random: ScriptedRandom = ScriptedRandom(), parameters: SessionParameters = .release) {
        channel = SecureChannel(random: random, parameters: parameters)
    }

    /// Gives a datagram, and returns the answers to its sender. Time is up to date before.
    @discardableResult
    func receive(_ octets: [UInt8], from peer: TransportPeer = .host(1)) -> [[UInt8]] {
        let count = effects.count
        channel.receive(octets, from: peer, at: now, effects: &effects)
        checkDeadline()
        return sent(since: count, to: peer)
    }

    /// Gives a datagram that has one answer.
    func answer(_ octets: [UInt8], from peer: TransportPeer = .host(1)) throws -> [UInt8] {
        let answers = receive(octets, from: peer)
        #expect(answers.count == 1)
        return try #require(answers.first)
    }

    /// Lets time pass, and returns what is sent meanwhile, with the milliseconds since the call.
    @discardableResult
    func advance(by milliseconds: Int) -> [(time: Int, octets: [UInt8])] {
        let begin = now
        var sent: [(time: Int, octets: [UInt8])] = []
        now = elapse(from: begin, to: begin + .milliseconds(milliseconds), deadline: { channel.deadline }) {
            now = $0
            let count = effects.count
            channel.advance(to: now, effects: &effects)
            sent += self.sent(since: count).map { (Int((now - begin).wholeMilliseconds), $0) }
        }
        return sent
    }

    /// Sends a message of the interaction model.
    func send(
        _ payload: [UInt8], on exchange: ExchangeID, expectingReply: Bool = false, opcode: UInt8 = 5
    ) -> [[UInt8]] {
        let count = effects.count
        channel.send(
            MatterMessage(opcode: opcode, payload: payload), on: exchange, expectingReply: expectingReply, at: now,
            effects: &effects)
        return sent(since: count)
    }

    /// Sends a message that is one datagram.
    func sendOne(
        _ payload: [UInt8], on exchange: ExchangeID, expectingReply: Bool = false, opcode: UInt8 = 5
    ) throws -> [UInt8] {
        let sent = send(payload, on: exchange, expectingReply: expectingReply, opcode: opcode)
        #expect(sent.count == 1)
        return try #require(sent.first)
    }

    /// Begins an exchange.
    func open(_ session: UInt16) -> ExchangeID? { channel.openExchange(on: SessionID(rawValue: session), at: now) }

    /// Answers the last message that was delivered.
    func reply(_ payload: [UInt8], opcode: UInt8 = 5) throws -> [UInt8] {
        try sendOne(payload, on: #require(delivered?.exchange), opcode: opcode)
    }

    /// The effects since the last call, without datagrams.
    func drain() -> [String] { exchange(&effects, with: []).compactMap(describe) }

    /// The last message that was delivered.
    var delivered: (message: MatterMessage, exchange: ExchangeID, session: SessionID)? {
        for case .received(let message, let exchange, let session) in effects.reversed() {
            return (message, exchange, session)
        }
        return nil
    }

    /// The last session that was established.
    var established: SessionID? {
        for case .established(let session) in effects.reversed() { return session }
        return nil
    }

    private func sent(since count: Int, to receiver: TransportPeer? = nil) -> [[UInt8]] {
        effects[count...].compactMap { effect in
            guard case .send(let octets, let peer) = effect, receiver ?? peer == peer else { return nil }
            return octets
        }
    }

    /// Nothing due remains: otherwise the host's loop would spin.
    private func checkDeadline() {
        if let deadline = channel.deadline, deadline <= now { Issue.record("\(deadline) is due at \(now)") }
    }

    private func describe(_ effect: ChannelEffect) -> String? {
        switch effect {
        case .send: nil
        case .received(let message, _, _): "received \(message.opcode) \(hex(message.payload))"
        case .established: "established"
        case .evicted(_, let fabric, let node): "evicted by \(fabric.rawValue)/\(node.rawValue)"
        case .ended: "ended"
        case .exchangeFailed: "exchangeFailed"
        case .attemptBegan: "began"
        case .attemptFailed: "failed"
        case .attemptEnded: "attemptEnded"
        case .attemptsExhausted: "exhausted"
        case .dropped(let reason, _): "dropped \(reason)"
        }
    }
}
