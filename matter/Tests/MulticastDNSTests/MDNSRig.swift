// SPDX-License-Identifier: Apache-2.0

import MulticastDNS
import TestSupport
import Testing
import Timekeeping
import VirtualTime

/// A responder on a virtual clock.
struct MDNSRig {
    /// A packet that was sent, with the milliseconds since the start of the run.
    typealias Sent = (at: Int64, to: MDNSPeer, message: DNSMessage)

    var responder: MDNSResponder
    var random = SplitMix64(seed: 7)
    var now = Instant.origin
    /// The peer that asks, unless a test names another.
    let peer: MDNSPeer

    /// A responder that has begun.
    init(_ host: MDNSHost, _ services: [MDNSService], in group: MDNSPeer = .everybody, peer: MDNSPeer) throws {
        responder = try #require(MDNSResponder(host, services, in: group))
        self.peer = peer
        responder.begin(at: now, &random)
    }

    private mutating func packets(since begin: Instant) throws -> [Sent] {
        try all { responder.nextPacket() }.map {
            ((now - begin).wholeMilliseconds, $0.peer, try DNSMessage($0.octets.span))
        }
    }

    /// The messages sent within this time.
    mutating func run(for time: Duration = .seconds(5)) throws -> [Sent] {
        let begin = now
        var result = try packets(since: begin)
        now = try elapse(from: begin, to: begin + time, deadline: { responder.deadline }) { next throws in
            now = next
            responder.advance(to: now)
            result += try packets(since: begin)
        }
        return result
    }

    mutating func receive(_ message: DNSMessage, from peer: MDNSPeer? = nil) {
        let octets = message.octets
        responder.receive(octets.span, from: peer ?? self.peer, at: now, &random)
    }

    /// The responses to a message within this time.
    mutating func ask(_ message: DNSMessage, from peer: MDNSPeer? = nil, within time: Duration) throws -> [Sent] {
        receive(message, from: peer)
        return try run(for: time)
    }
}
