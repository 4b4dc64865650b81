// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterSession
import MatterTLV
import TestSupport
import Testing

/// A message that the channel sent.
struct SentMessage {
    let header: MessageHeader
    let proto: ProtocolHeader
    let payload: [UInt8]

    var isReliable: Bool { proto.isReliable }
    var acknowledged: UInt32? { proto.acknowledged }
    /// The status report, if it is one.
    var report: StatusReport? { proto.protocolID == 0 && proto.opcode == 0x40 ? StatusReport(payload) : nil }
}

/// The initiator's message layer on the unsecured session, with one exchange.
final class TestInitiator {
    let node: UInt64
    var counter: UInt32
    let exchange: UInt16
    var isReliable = true

    init(node: UInt64 = 0x1122_3344_5566_7788, counter: UInt32 = 1000, exchange: UInt16 = 0x4711) {
        self.node = node
        self.counter = counter
        self.exchange = exchange
    }

    /// A datagram of the Secure Channel protocol.
    func message(_ opcode: UInt8, _ payload: [UInt8] = [], acknowledging: UInt32? = nil) -> [UInt8] {
        counter &+= 1
        let header = MessageHeader(session: 0, counter: counter, source: node)
        let proto = ProtocolHeader(
            isFromInitiator: true, isReliable: isReliable && opcode != 0x10, acknowledged: acknowledging,
            opcode: opcode, exchange: exchange, protocolID: 0)
        return header.octets + proto.octets + payload
    }

    /// Reads a datagram of the unsecured session to this initiator.
    func read(_ datagram: [UInt8]) throws -> SentMessage {
        let header = try MessageHeader(datagram.span)
        #expect(header.session == 0 && header.source == nil && header.destination == .node(node))
        let clear = Array(datagram[header.count...])
        let proto = try ProtocolHeader(clear.span)
        #expect(!proto.isFromInitiator && proto.exchange == exchange)
        return SentMessage(header: header, proto: proto, payload: Array(clear[proto.count...]))
    }
}

/// The initiator's side of a secure session.
final class TestSession {
    let keys: SessionKeys
    /// The initiator's identifier of the session, and the responder's.
    let localID: UInt16
    let peerID: UInt16
    let localNode: UInt64
    let peerNode: UInt64
    var counter: UInt32 = 5000

    init(keys: SessionKeys, localID: UInt16, peerID: UInt16, localNode: UInt64 = 0, peerNode: UInt64 = 0) {
        self.keys = keys
        self.localID = localID
        self.peerID = peerID
        self.localNode = localNode
        self.peerNode = peerNode
    }

    /// A datagram of the interaction model.
    func message(
        _ opcode: UInt8, _ payload: [UInt8] = [], exchange: UInt16, isFromInitiator: Bool = true,
        isReliable: Bool = true, acknowledging: UInt32? = nil, protocolID: UInt16 = 1
    ) throws -> [UInt8] {
        counter += 1
        let proto = ProtocolHeader(
            isFromInitiator: isFromInitiator, isReliable: isReliable, acknowledged: acknowledging, opcode: opcode,
            exchange: exchange, protocolID: protocolID)
        return try MessageProtection.seal(
            proto.octets + payload, header: MessageHeader(session: peerID, counter: counter), source: localNode,
            key: keys.receiving)
    }

    /// An acknowledgement without data.
    func acknowledgement(
        _ counter: UInt32, exchange: UInt16, isFromInitiator: Bool = true
    ) throws -> [UInt8] {
        try message(
            0x10, exchange: exchange, isFromInitiator: isFromInitiator, isReliable: false, acknowledging: counter,
            protocolID: 0)
    }

    /// Reads a datagram of the responder.
    func read(_ datagram: [UInt8]) throws -> SentMessage {
        let header = try MessageHeader(datagram.span)
        #expect(header.session == localID && header.source == nil && header.destination == .none)
        let clear = try MessageProtection.open(datagram, header: header, source: peerNode, key: keys.sending)
        let proto = try ProtocolHeader(clear.span)
        return SentMessage(header: header, proto: proto, payload: Array(clear[proto.count...]))
    }
}
