// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import Timekeeping

/// The responder of certificate-authenticated session establishment (Core 4.14.2).
extension SecureChannel {
    mutating func receiveSigma1(
        _ payload: [UInt8], on exchange: ExchangeID, from peer: TransportPeer, at now: Instant,
        effects: inout [ChannelEffect]
    ) {
        guard let sigma1 = try? Sigma1(payload), sigma1.initiatorSessionID != 0 else {
            return refuse(.invalidParameter, on: exchange, at: now, effects: &effects)
        }
        learn(sigma1.sessionParameters, of: exchange)
        // A recording of a Sigma1 whose handshake is in progress: it ends nothing, and occupies no place in the table.
        if let original = handshakes.first(where: { $0.initiatorRandom == sigma1.initiatorRandom }) {
            return refuse(.busy(for: original.ends - now), on: exchange, at: now, effects: &effects)
        }
        guard !answeredRandoms.contains(sigma1.initiatorRandom) else {
            abandon(exchange)
            return effects.append(.dropped(.duplicate, from: peer))
        }
        let resumption = resumable(sigma1)
        guard let fabric = resumption?.fabric ?? destination(of: sigma1) else {
            return refuse(.noSharedTrustRoots, on: exchange, at: now, effects: &effects)
        }
        if let wait = makeRoom(for: peer, isKnown: resumption != nil, at: now) {
            return refuse(.busy(for: wait), on: exchange, at: now, effects: &effects)
        }
        let id = makeSessionID()
        let answer =
            if let record = resumption?.record {
                answerResumption(of: record, sigma1, localID: id)
            } else {
                answerFull(sigma1, payload, as: fabric, localID: id)
            }
        guard let answer else { return refuse(.invalidParameter, on: exchange, at: now, effects: &effects) }
        answeredRandoms.insert(sigma1.initiatorRandom)
        handshakes.append(
            CASEHandshake(
                exchange: exchange, peer: peer, localID: id, peerID: sigma1.initiatorSessionID,
                peerParameters: sigma1.sessionParameters, fabric: fabric, initiatorRandom: sigma1.initiatorRandom,
                state: answer.state, began: now))
        self.answer(answer.opcode, answer.payload, on: exchange, at: now, effects: &effects)
    }

    private typealias Answer = (state: CASEHandshake.State, opcode: UInt8, payload: [UInt8])

    /// The fabric that an initiator without a resumable session names.
    private func destination(of sigma1: Sigma1) -> OperationalIdentity? {
        fabrics.first { fabric in
            let id = fabric.destinationID(initiatorRandom: sigma1.initiatorRandom.span)
            return constantTimeEqual(id.span, sigma1.destinationID.span)
        }
    }

    /// The record that Sigma1 names, if it proves possession of it. Otherwise the full handshake continues
    /// (4.14.2.2.2).
    private func resumable(_ sigma1: Sigma1) -> (record: ResumptionRecord, fabric: OperationalIdentity)? {
        guard let request = sigma1.resumption, let record = resumptions.record(request.id),
            let fabric = fabrics.first(where: { $0.index == record.fabric }),
            let tag = try? CASEKeys.resumptionTag(
                secret: record.secret, initiatorRandom: sigma1.initiatorRandom, id: request.id, isFromInitiator: true),
            constantTimeEqual(tag.span, request.tag.span)
        else { return nil }
        return (record, fabric)
    }

    private mutating func answerResumption(
        of record: ResumptionRecord, _ sigma1: Sigma1, localID: SessionID
    ) -> Answer? {
        var renewed = record
        renewed.id = random.octets(ResumptionRecord.idCount)
        guard
            let tag = try? CASEKeys.resumptionTag(
                secret: record.secret, initiatorRandom: sigma1.initiatorRandom, id: renewed.id, isFromInitiator: false),
            let keys = try? CASEKeys.resumed(
                secret: record.secret, initiatorRandom: sigma1.initiatorRandom, id: record.id)
        else { return nil }
        let message = Sigma2Resume(
            resumptionID: renewed.id, tag: tag, responderSessionID: localID.rawValue, sessionParameters: parameters)
        return (.awaitingReport(renewed, keys), SecureChannelOpcode.sigma2Resume, message.octets)
    }

    private mutating func answerFull(
        _ sigma1: Sigma1, _ payload: [UInt8], as fabric: OperationalIdentity, localID: SessionID
    ) -> Answer? {
        let secret = SessionSecret(random.octets(32))
        let scalar = secret.octets
        // Fewer than one in 2³² random scalars is not a key. The initiator then tries again.
        guard let ephemeral = try? P256PrivateKey(scalar: scalar.span),
            let answer = try? FullHandshake.answer(
                sigma1, encoded: payload, as: fabric, localID: localID, parameters: parameters,
                randomness: Sigma2Randomness(
                    responderRandom: random.octets(32), resumptionID: random.octets(ResumptionRecord.idCount),
                    ephemeral: ephemeral))
        else { return nil }
        return (.awaitingSigma3(answer.handshake), SecureChannelOpcode.sigma2, answer.sigma2)
    }

    mutating func receiveSigma3(
        _ payload: [UInt8], on exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]
    ) {
        guard let index = handshakes.firstIndex(where: { $0.exchange == exchange }),
            case .awaitingSigma3(let state) = handshakes[index].state
        else { return refuseUnexpected(exchange, at: now, effects: &effects) }
        let handshake = handshakes.remove(at: index)
        guard let result = state.complete(payload, as: handshake.fabric, at: lastKnownGoodTime) else {
            return refuse(.invalidParameter, on: exchange, at: now, effects: &effects)
        }
        let record = ResumptionRecord(
            id: state.resumptionID, secret: state.secret, fabric: handshake.fabric.index, node: result.peer.node,
            tags: result.peer.tags)
        establish(handshake, record, result.keys, at: now, effects: &effects)
        conclude(.established, on: exchange, isReliable: true, at: now, effects: &effects)
    }

    /// Handles the initiator's report on Sigma2Resume, or its refusal of any other message.
    mutating func receiveCASEReport(
        _ report: StatusReport?, on exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]
    ) {
        guard let index = handshakes.firstIndex(where: { $0.exchange == exchange }) else { return }
        let handshake = handshakes.remove(at: index)
        guard case .awaitingReport(let record, let keys) = handshake.state, report == .established else { return }
        establish(handshake, record, keys, at: now, effects: &effects)
    }

    private mutating func establish(
        _ handshake: CASEHandshake, _ record: ResumptionRecord, _ keys: SessionKeys, at now: Instant,
        effects: inout [ChannelEffect]
    ) {
        resumptions.insert(record)
        if let victim = sessions.victim(for: record.fabric, record.node) {
            effects.append(.evicted(victim, fabric: record.fabric, by: record.node))
            closeSession(victim, notifyingPeer: true, at: now, effects: &effects)
        }
        insertSession(
            Session(
                id: handshake.localID, peerID: handshake.peerID, kind: .case(node: record.node, tags: record.tags),
                fabric: record.fabric, peer: handshake.peer, keys: keys, localNode: handshake.fabric.nodeID.rawValue,
                counter: makeCounter(), peerParameters: handshake.peerParameters, lastHeard: now, lastUsed: now),
            effects: &effects)
    }

    /// Makes room for a handshake: at the limit of a host or of the table, ends the oldest handshake if its protected
    /// time is over.
    ///
    /// - Parameter isKnown: true for a peer that resumes a session. It displaces handshakes of initiators that have
    ///   proven nothing, so that recordings of Sigma1 cannot keep it out.
    /// - Returns: the time to wait if there is no room.
    private mutating func makeRoom(for peer: TransportPeer, isKnown: Bool, at now: Instant) -> Duration? {
        let own = handshakes.filter { $0.peer.isSameHost(as: peer) }
        let isHostFull = own.count >= CASEHandshake.limitPerHost
        guard isHostFull || handshakes.count >= CASEHandshake.limit else { return nil }
        let candidates = isHostFull ? own : handshakes
        let stranger = isKnown ? candidates.first { !$0.isResumption } : nil
        let oldest = stranger ?? candidates[0]
        let wait = oldest.began + CASEHandshake.protectedTime - now
        guard stranger != nil || wait <= .zero else { return wait }
        endHandshakes { $0.exchange == oldest.exchange }
        return nil
    }

    /// Ends handshakes without a message.
    mutating func endHandshakes(where isEnding: (CASEHandshake) -> Bool) {
        for handshake in handshakes where isEnding(handshake) { abandon(handshake.exchange) }
        handshakes.removeAll(where: isEnding)
    }

    mutating func advanceCASE(to now: Instant) {
        endHandshakes { $0.ends <= now }
    }
}
