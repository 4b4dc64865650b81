// SPDX-License-Identifier: Apache-2.0

import MatterCredentials
import MatterInteraction
import MatterSession
import MatterTLV
import Timekeeping

/// A session that ends once its last reply has had time to arrive. It no longer needs its fabric.
struct LeavingSession: Sendable {
    let session: SessionID
    let due: Instant
}

/// A Bluetooth link without a session, which the commissioner is about to end.
struct ClosingLink: Sendable {
    let peer: TransportPeer
    let due: Instant
}

/// The outputs of the secure channel, and the ends of sessions.
extension MatterNode {
    /// The time for the last reply of a session: all transmissions of a message with the default intervals.
    private static let lastReplyTime: Duration = .seconds(5)

    /// The time for a commissioner to end the Bluetooth link of an ended PASE session itself. If both sides end it at
    /// the same moment, the CHIP controller on BlueZ uses its connection after freeing it.
    static let linkClosingTime: Duration = .seconds(2)

    mutating func handle(_ output: ChannelEffect, at now: Instant) {
        switch output {
        case .send(let octets, let peer): effects.append(.send(octets, to: peer))
        case .received(let message, let exchange, let session): receive(message, exchange, session, at: now)
        case .established(let session): begin(session, at: now)
        case .evicted(let session, let fabric, let node):
            guard case .case(let former, _) = sessions[session]?.authentication else { break }
            model.notice(
                .sessionDisplaced(
                    fabric: sessions[session]?.fabric ?? 0, node: former, by: MatterAuthor(fabric: fabric, node: node)))
        case .ended(let session): end(session, at: now)
        case .exchangeFailed(let exchange, _):
            server.exchangeFailed(exchange.rawValue, effects: &interactionEffects)
        case .attemptBegan: model.notice(.passcodeAttempt)
        case .attemptFailed:
            model.window?.failures += 1
            model.notice(.passcodeFailed(count: model.window?.failures ?? 0))
        case .attemptEnded: break
        case .attemptsExhausted: model.closeWindow(.tooManyFailures)
        case .dropped(let reason, _): model.notice(.refused(MatterNode.text(reason)))
        }
    }

    /// A text without numbers that the sender chooses, so that a flood causes few different texts.
    private static func text(_ drop: MessageDrop) -> String {
        switch drop {
        case .malformed(.unauthentic): "a message that is not authentic"
        case .malformed(.unsupported): "a group, control or obfuscated message"
        case .malformed: "a datagram that is no message"
        case .unknownSession: "a message on a session that does not exist"
        case .duplicate: "a message that was received before"
        case .unexpected: "a message that nothing waits for"
        case .exhausted: "a message for which there is no room"
        }
    }

    private mutating func receive(
        _ message: MatterMessage, _ exchange: ExchangeID, _ session: SessionID, at now: Instant
    ) {
        guard let accessor = accessor(of: session), !leaving.contains(where: { $0.session == session }) else {
            return channel.closeExchange(exchange)
        }
        if model.interposer?.dropsMessage(from: accessor) == true { return channel.closeExchange(exchange) }
        server.receive(
            message.opcode, message.payload, exchange: exchange.rawValue, by: accessor, model: &model, at: now,
            age: inputAge, effects: &interactionEffects)
    }

    /// The peer of a session, with the fabric that it has now.
    private func accessor(of id: SessionID) -> Accessor? {
        guard let session = channel.session(id) else { return nil }
        let authentication: Accessor.Authentication =
            switch session.kind {
            case .pase: .pase
            case .case(let node, let tags): .case(node: node, tags: tags)
            }
        return Accessor(
            authentication: authentication, fabric: session.fabric, session: id.rawValue,
            attestationChallenge: session.attestationChallenge)
    }

    private mutating func begin(_ session: SessionID, at now: Instant) {
        guard let accessor = accessor(of: session) else { return }
        sessions[session] = accessor
        switch accessor.authentication {
        case .pase:
            if let peer = channel.session(session)?.peer { closingLinks.removeAll { $0.peer == peer } }
            model.notice(.passcodeAccepted)
            guard model.failSafe == nil else { return close(session, at: now) }
            model.armFailSafe(
                seconds: configuration.failSafeSeconds, accessor, isByCommand: false, at: now)
        case .case(let node, _):
            model.notice(.sessionEstablished(fabric: accessor.fabric ?? 0, node: node))
        }
    }

    private mutating func end(_ session: SessionID, at now: Instant) {
        server.sessionEnded(session.rawValue, effects: &interactionEffects)
        leaving.removeAll { $0.session == session }
        guard let accessor = sessions.removeValue(forKey: session) else { return }
        switch accessor.authentication {
        case .pase:
            model.notice(.passcodeSessionEnded)
            // Only this session could use the fail-safe. Another commissioner can now begin at once.
            if let failSafe = model.failSafe, failSafe.fabric == nil, failSafe.session == session.rawValue {
                model.rollBack(.sessionLost, after: nil, at: now)
            }
        case .case(let node, _):
            model.notice(.sessionEnded(fabric: accessor.fabric ?? 0, node: node))
        }
    }

    /// Ends a session at once, and the Bluetooth link of a PASE session after `linkClosingTime`.
    mutating func close(_ session: SessionID, at now: Instant) {
        guard let known = channel.session(session) else { return }
        channel.closeSession(session, notifyingPeer: false, at: now, effects: &channelEffects)
        if case .ble = known.peer, known.kind == .pase {
            closingLinks.append(ClosingLink(peer: known.peer, due: now + MatterNode.linkClosingTime))
        }
    }

    /// Ends the links that their commissioners left open.
    mutating func endClosingLinks(at now: Instant) {
        for link in closingLinks where link.due <= now { effects.append(.disconnect(link.peer)) }
        closingLinks.removeAll { $0.due <= now }
    }

    /// Ends a session after its reply.
    mutating func leave(_ session: SessionID, at now: Instant) {
        guard !leaving.contains(where: { $0.session == session }) else { return }
        leaving.append(LeavingSession(session: session, due: now + MatterNode.lastReplyTime))
    }

    /// Ends the sessions whose last reply has had time to arrive.
    mutating func endLeavingSessions(at now: Instant) {
        let due = leaving.filter { $0.due <= now }
        guard !due.isEmpty else { return }
        leaving.removeAll { $0.due <= now }
        for session in due { close(session.session, at: now) }
    }
}
