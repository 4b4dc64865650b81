// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets
public import Timekeeping

/// Sent messages: headers, protection, acknowledgements, retransmission (Core 4.12).
extension SecureChannel {
    /// The address of an exchange's peer; nil if its session has ended.
    private func peer(of context: Exchange.Context) -> TransportPeer? {
        switch context {
        case .secured(let id): sessions.index(of: id).map { sessions[$0].peer }
        case .unsecured(let handle): initiators.first { $0.handle == handle }?.peer
        }
    }

    /// Sends a message on an exchange, with any pending acknowledgement.
    ///
    /// - Parameter isReliable: true to request an acknowledgement, if the transport needs it.
    /// - Returns: false if the message cannot be sent: the session has ended, or too many messages are unacknowledged.
    mutating func transmit(
        _ message: MatterMessage, on index: Int, isReliable: Bool, at now: Instant, effects: inout [ChannelEffect]
    ) -> Bool {
        let exchange = exchanges[index]
        guard let peer = peer(of: exchange.context),
            exchange.unacknowledged.count < Exchange.unacknowledgedLimit
        else { return false }
        let isReliable = isReliable && peer.needsReliability
        let header = ProtocolHeader(
            isFromInitiator: exchange.isInitiator, isReliable: isReliable, acknowledged: exchange.owed?.counter,
            opcode: message.opcode, exchange: exchange.number, protocolID: message.protocolID)
        guard let sent = protect(header.octets + message.payload, in: exchange.context, at: now) else { return false }
        exchanges[index].owed = nil
        if isReliable {
            exchanges[index].unacknowledged.append(
                Exchange.Unacknowledged(
                    counter: sent.counter, octets: sent.octets, transmissions: 1,
                    next: now + backOff(in: exchange.context, attempt: 0, at: now)))
        }
        effects.append(.send(sent.octets, to: peer))
        return true
    }

    /// Sends a standalone acknowledgement (4.12.7.1), also for an exchange that no longer exists.
    mutating func acknowledge(
        _ counter: UInt32, exchange: UInt16, isInitiator: Bool, in context: Exchange.Context, at now: Instant,
        effects: inout [ChannelEffect]
    ) {
        let header = ProtocolHeader(
            isFromInitiator: isInitiator, acknowledged: counter,
            opcode: SecureChannelOpcode.standaloneAcknowledgement, exchange: exchange,
            protocolID: SecureChannelOpcode.protocolID)
        guard let peer = peer(of: context), let sent = protect(header.octets, in: context, at: now) else { return }
        effects.append(.send(sent.octets, to: peer))
    }

    /// Acknowledges `message` if it requests that, outside any exchange.
    mutating func acknowledge(
        _ message: ReceivedMessage, in context: Exchange.Context, at now: Instant, effects: inout [ChannelEffect]
    ) {
        guard message.isReliable else { return }
        acknowledge(
            message.counter, exchange: message.header.exchange, isInitiator: !message.header.isFromInitiator,
            in: context, at: now, effects: &effects)
    }

    /// Sends the pending acknowledgement of an exchange as a separate message.
    mutating func payOwed(_ index: Int, at now: Instant, effects: inout [ChannelEffect]) {
        let exchange = exchanges[index]
        guard let owed = exchange.owed else { return }
        exchanges[index].owed = nil
        acknowledge(
            owed.counter, exchange: exchange.number, isInitiator: exchange.isInitiator, in: exchange.context, at: now,
            effects: &effects)
    }

    /// The datagram of a payload. Nil if the session has ended, or has used its last counter: counters do not wrap.
    private mutating func protect(
        _ payload: [UInt8], in context: Exchange.Context, at now: Instant
    ) -> (octets: [UInt8], counter: UInt32)? {
        switch context {
        case .secured(let id):
            guard let index = sessions.index(of: id), sessions[index].counter < .max else { return nil }
            let session = sessions[index]
            sessions[index].counter += 1
            sessions[index].lastUsed = now
            let header = MessageHeader(session: session.peerID, counter: session.counter)
            let sealed = try? MessageProtection.seal(
                payload, header: header, source: session.localNode, key: session.keys.sending)
            return sealed.map { ($0, session.counter) }
        case .unsecured(let handle):
            guard let initiator = initiators.first(where: { $0.handle == handle }) else { return nil }
            let counter = unsecuredCounter
            unsecuredCounter &+= 1
            let header = MessageHeader(session: 0, counter: counter, destination: .node(initiator.node))
            return (header.octets + payload, counter)
        }
    }

    private mutating func backOff(in context: Exchange.Context, attempt: Int, at now: Instant) -> Duration {
        let peer: (parameters: SessionParameters, lastHeard: Instant)? =
            switch context {
            case .secured(let id):
                sessions.index(of: id).map { (sessions[$0].peerParameters, sessions[$0].lastHeard) }
            case .unsecured(let handle):
                initiators.first { $0.handle == handle }.map { ($0.parameters, $0.lastHeard) }
            }
        let interval = Retransmission.interval(
            of: peer?.parameters ?? SessionParameters(), lastHeard: peer?.lastHeard ?? now, at: now)
        return Retransmission.backOff(interval, attempt: attempt, jitter: random.octets(1)[0])
    }

    // MARK: Time

    /// Performs the actions due at `now`: acknowledgements, retransmissions, ends of exchanges and handshakes.
    public mutating func advance(to now: Instant, effects: inout [ChannelEffect]) {
        for id in exchanges.filter({ $0.deadline <= now }).map(\.id) {
            guard let index = index(of: id) else { continue }
            if let owed = exchanges[index].owed, owed.due <= now { payOwed(index, at: now, effects: &effects) }
            guard retransmit(index, at: now, effects: &effects), exchanges[index].expires > now else {
                fail(index, at: now, effects: &effects)
                continue
            }
            settle(index)
        }
        advancePASE(to: now, effects: &effects)
        advanceCASE(to: now)
    }

    /// Performs due retransmissions. Returns false if a message has had its last transmission.
    private mutating func retransmit(_ index: Int, at now: Instant, effects: inout [ChannelEffect]) -> Bool {
        let exchange = exchanges[index]
        guard let peer = peer(of: exchange.context) else { return false }
        for (at, message) in exchange.unacknowledged.enumerated() where message.next <= now {
            guard message.transmissions < Retransmission.transmissionLimit else { return false }
            effects.append(.send(message.octets, to: peer))
            let wait = backOff(in: exchange.context, attempt: message.transmissions, at: now)
            exchanges[index].unacknowledged[at].transmissions += 1
            exchanges[index].unacknowledged[at].next = now + wait
        }
        return true
    }

    // MARK: Ends

    /// Removes the exchange if nothing remains to be done.
    mutating func settle(_ index: Int) {
        if exchanges[index].isDone { exchanges.remove(at: index) }
    }

    /// Removes the exchange, and reports that to the interaction model or to the handshake that it carried.
    mutating func fail(_ index: Int, at now: Instant, effects: inout [ChannelEffect]) {
        let exchange = exchanges.remove(at: index)
        switch exchange.context {
        case .secured(let session): effects.append(.exchangeFailed(exchange.id, session: session))
        case .unsecured:
            if attempt?.exchange == exchange.id { lapse(at: now, effects: &effects) }
            handshakes.removeAll { $0.exchange == exchange.id }
        }
    }
}
