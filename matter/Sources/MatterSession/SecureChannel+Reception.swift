// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV
import Octets
public import Timekeeping

/// A received message after authentication and duplicate detection.
struct ReceivedMessage {
    let header: ProtocolHeader
    let payload: [UInt8]
    /// The message counter.
    let counter: UInt32
    /// True if an acknowledgement is requested, over a transport with acknowledgements.
    let isReliable: Bool
    /// The counter that is acknowledged, over such a transport.
    let acknowledged: UInt32?

    init(_ clear: [UInt8], counter: UInt32, from peer: TransportPeer) throws(MessageFault) {
        header = try ProtocolHeader(clear.span)
        payload = Array(clear[header.count...])
        self.counter = counter
        isReliable = header.isReliable && peer.needsReliability
        acknowledged = peer.needsReliability ? header.acknowledged : nil
    }

    var isStandaloneAcknowledgement: Bool {
        isOf(SecureChannelOpcode.protocolID, opcode: SecureChannelOpcode.standaloneAcknowledgement)
    }

    func isOf(_ protocolID: UInt16, opcode: UInt8) -> Bool {
        header.vendor == 0 && header.protocolID == protocolID && header.opcode == opcode
    }
}

extension SecureChannel {
    /// Receives a datagram or a message of BTP.
    public mutating func receive(
        _ octets: [UInt8], from peer: TransportPeer, at now: Instant, effects: inout [ChannelEffect]
    ) {
        do throws(MessageFault) {
            let header = try MessageHeader(octets.span)
            try header.requireUnicast()
            if header.session == 0 {
                try receiveUnsecured(octets, header, from: peer, at: now, effects: &effects)
            } else {
                try receiveSecured(octets, header, from: peer, at: now, effects: &effects)
            }
        } catch {
            effects.append(.dropped(.malformed(error), from: peer))
        }
    }

    // MARK: Secure sessions

    private mutating func receiveSecured(
        _ octets: [UInt8], _ header: MessageHeader, from peer: TransportPeer, at now: Instant,
        effects: inout [ChannelEffect]
    ) throws(MessageFault) {
        let id = SessionID(rawValue: header.session)
        guard let index = sessions.index(of: id), sessions[index].peer.isSameTransport(as: peer) else {
            return effects.append(.dropped(.unknownSession(header.session), from: peer))
        }
        var clear = try MessageProtection.open(
            octets, header: header, source: sessions[index].peerNode, key: sessions[index].keys.receiving)
        defer { wipeSecret(&clear) }
        let message = try ReceivedMessage(clear, counter: header.counter, from: peer)
        var window = sessions[index].window
        guard window.acceptSecured(header.counter) else {
            return repeated(message, in: .secured(id), from: peer, at: now, effects: &effects)
        }
        // Without room, the counter is not recorded, so that the retransmission is not a duplicate.
        guard hasRoom(for: message, in: .secured(id)) else {
            return effects.append(.dropped(.exhausted, from: peer))
        }
        sessions[index].window = window
        sessions[index].peer = peer
        sessions[index].lastHeard = now
        sessions[index].lastUsed = now
        guard let exchange = exchange(for: message, in: .secured(id), from: peer, at: now, effects: &effects) else {
            return
        }
        if message.header.vendor == 0, message.header.protocolID == MatterMessage.interactionModel {
            let received = MatterMessage(opcode: message.header.opcode, payload: message.payload)
            return effects.append(.received(received, exchange: exchange, session: id))
        }
        // No other message is answered on a secure session.
        if let place = self.index(of: exchange) {
            payOwed(place, at: now, effects: &effects)
            if !exchanges[place].isInitiator { closeExchange(exchange) }
        }
        guard message.isOf(SecureChannelOpcode.protocolID, opcode: SecureChannelOpcode.statusReport),
            StatusReport(message.payload) == .closeSession
        else { return effects.append(.dropped(.unexpected, from: peer)) }
        endSession(id, effects: &effects)
    }

    // MARK: The unsecured session

    private mutating func receiveUnsecured(
        _ octets: [UInt8], _ header: MessageHeader, from peer: TransportPeer, at now: Instant,
        effects: inout [ChannelEffect]
    ) throws(MessageFault) {
        let message = try ReceivedMessage(Array(octets[header.count...]), counter: header.counter, from: peer)
        // An initiator states its source, and this node never begins a handshake.
        guard let node = header.source, header.destination == .none, message.header.isFromInitiator,
            message.header.vendor == 0, message.header.protocolID == SecureChannelOpcode.protocolID
        else { return effects.append(.dropped(.unexpected, from: peer)) }
        guard let index = initiatorIndex(node, from: peer, of: message, at: now) else {
            return effects.append(.dropped(.unexpected, from: peer))
        }
        let context = Exchange.Context.unsecured(initiators[index].handle)
        var window = initiators[index].window
        guard window.acceptUnsecured(header.counter) else {
            return repeated(message, in: context, from: peer, at: now, effects: &effects)
        }
        guard hasRoom(for: message, in: context) else { return effects.append(.dropped(.exhausted, from: peer)) }
        initiators[index].window = window
        initiators[index].lastHeard = now
        guard let exchange = exchange(for: message, in: context, from: peer, at: now, effects: &effects) else { return }
        switch message.header.opcode {
        case SecureChannelOpcode.pbkdfParamRequest:
            receivePBKDFParamRequest(message.payload, on: exchange, from: peer, at: now, effects: &effects)
        case SecureChannelOpcode.pake1: receivePake1(message.payload, on: exchange, at: now, effects: &effects)
        case SecureChannelOpcode.pake3: receivePake3(message.payload, on: exchange, at: now, effects: &effects)
        case SecureChannelOpcode.sigma1:
            receiveSigma1(message.payload, on: exchange, from: peer, at: now, effects: &effects)
        case SecureChannelOpcode.sigma3: receiveSigma3(message.payload, on: exchange, at: now, effects: &effects)
        case SecureChannelOpcode.statusReport:
            receiveHandshakeStatus(message.payload, on: exchange, at: now, effects: &effects)
        default: refuse(.invalidParameter, on: exchange, at: now, effects: &effects)
        }
    }

    /// The place of an initiator in the table. The first message of a handshake adds it, and may replace the least
    /// recently heard initiator without an exchange.
    private mutating func initiatorIndex(
        _ node: UInt64, from peer: TransportPeer, of message: ReceivedMessage, at now: Instant
    ) -> Int? {
        if let index = initiators.firstIndex(where: { $0.node == node && $0.peer == peer }) { return index }
        switch message.header.opcode {
        case SecureChannelOpcode.pbkdfParamRequest where passcode != nil: break
        case SecureChannelOpcode.sigma1: break
        default: return nil
        }
        if initiators.count >= UnsecuredInitiator.limit {
            let idle = initiators.indices.filter { index in
                !exchanges.contains { $0.context == .unsecured(initiators[index].handle) }
            }
            guard let oldest = idle.min(by: { initiators[$0].lastHeard < initiators[$1].lastHeard }) else { return nil }
            initiators.remove(at: oldest)
        }
        initiators.append(UnsecuredInitiator(handle: makeHandle(), peer: peer, node: node, lastHeard: now))
        return initiators.count - 1
    }

    // MARK: Exchanges

    /// Acknowledges a duplicate again, since the acknowledgement was lost (4.12.5.2.1).
    private mutating func repeated(
        _ message: ReceivedMessage, in context: Exchange.Context, from peer: TransportPeer, at now: Instant,
        effects: inout [ChannelEffect]
    ) {
        if let index = index(of: message, in: context), exchanges[index].owed?.counter == message.counter {
            exchanges[index].owed = nil
            acknowledge(message, in: context, at: now, effects: &effects)
            settle(index)
        } else {
            acknowledge(message, in: context, at: now, effects: &effects)
        }
        effects.append(.dropped(.duplicate, from: peer))
    }

    private func index(of message: ReceivedMessage, in context: Exchange.Context) -> Int? {
        exchanges.firstIndex {
            $0.context == context && $0.number == message.header.exchange
                && $0.isInitiator != message.header.isFromInitiator
        }
    }

    /// The exchange that handles a message, created if necessary. Nil without an exchange, or if the message needs no
    /// more than an acknowledgement.
    private mutating func exchange(
        for message: ReceivedMessage, in context: Exchange.Context, from peer: TransportPeer, at now: Instant,
        effects: inout [ChannelEffect]
    ) -> ExchangeID? {
        var place = index(of: message, in: context)
        if let index = place, let acknowledged = message.acknowledged {
            exchanges[index].unacknowledged.removeAll { $0.counter == acknowledged }
        }
        guard !message.isStandaloneAcknowledgement else {
            if let place { settle(place) }
            return nil
        }
        if place == nil, message.header.isFromInitiator {
            _ = addExchange(
                context, number: message.header.exchange, isInitiator: false,
                expires: now + Exchange.processingTime)
            place = exchanges.count - 1
        }
        guard let index = place, !exchanges[index].isClosing else {
            acknowledge(message, in: context, at: now, effects: &effects)
            if let place { settle(place) }
            effects.append(.dropped(.unexpected, from: peer))
            return nil
        }
        if message.isReliable {
            payOwed(index, at: now, effects: &effects)
            exchanges[index].owed = (message.counter, now + Retransmission.acknowledgementDelay)
        }
        exchanges[index].expires = now + Exchange.processingTime
        return exchanges[index].id
    }

    /// False if the message begins an exchange for which the session has no room.
    private func hasRoom(for message: ReceivedMessage, in context: Exchange.Context) -> Bool {
        guard message.header.isFromInitiator, !message.isStandaloneAcknowledgement,
            index(of: message, in: context) == nil
        else { return true }
        return switch context {
        case .secured:
            exchanges.count { $0.context == context && !$0.isInitiator } < Exchange.limitPerSession
        case .unsecured:
            exchanges.count { $0.context == context } < UnsecuredInitiator.exchangeLimit
        }
    }
}
