// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterTLV
import Timekeeping

/// The responder of passcode-authenticated session establishment (Core 4.14.1).
extension SecureChannel {
    /// Sets the parameters for answering PASE, and resets the count of failures. With nil, PASE is not answered, and an
    /// attempt in progress ends without a further message.
    public mutating func acceptPASE(_ parameters: PASEParameters?) {
        passcode = parameters
        countedFailures = 0
        lapses = PASELapses()
        guard let attempt else { return }
        self.attempt = nil
        exchanges.removeAll { $0.id == attempt.exchange }
    }

    mutating func receivePBKDFParamRequest(
        _ payload: [UInt8], on exchange: ExchangeID, from peer: TransportPeer, at now: Instant,
        effects: inout [ChannelEffect]
    ) {
        let replaced = replaceAttempt(of: peer, effects: &effects)
        guard let passcode else { return abandon(exchange) }
        guard let request = try? PBKDFParamRequest(payload), request.passcodeID == 0, request.initiatorSessionID != 0
        else { return refuse(.invalidParameter, on: exchange, at: now, effects: &effects) }
        if let wait = makeWay(for: peer, at: now, effects: &effects) {
            return refuse(.busy(for: wait), on: exchange, at: now, effects: &effects)
        }
        let id = makeSessionID()
        let response = PBKDFParamResponse(
            initiatorRandom: request.initiatorRandom, responderRandom: random.octets(PBKDFParamRequest.randomCount),
            responderSessionID: id.rawValue,
            derivation: request.hasParameters ? nil : (passcode.iterations, passcode.salt),
            sessionParameters: parameters
        ).octets
        guard let context = try? PASEAttempt.context(request: payload, response: response) else {
            return refuse(.invalidParameter, on: exchange, at: now, effects: &effects)
        }
        attempt = PASEAttempt(
            exchange: exchange, peer: peer, localID: id, peerID: request.initiatorSessionID,
            peerParameters: request.sessionParameters, context: context, began: replaced?.began ?? now,
            ends: now + PASEAttempt.limit, stateEnds: now + PASEAttempt.pake1Limit,
            isContested: replaced?.isContested ?? false)
        learn(request.sessionParameters, of: exchange)
        effects.append(.attemptBegan)
        answer(SecureChannelOpcode.pbkdfParamResponse, response, on: exchange, at: now, effects: &effects)
    }

    /// Ends and returns the attempt of this peer, which restarts.
    private mutating func replaceAttempt(of peer: TransportPeer, effects: inout [ChannelEffect]) -> PASEAttempt? {
        guard let attempt, attempt.peer == peer else { return nil }
        abandon(attempt.exchange)
        endAttempt(isSuccess: false, effects: &effects)
        return attempt
    }

    /// Makes way for an attempt: another host's attempt lapses once its `othersWaitUntil` has passed.
    ///
    /// - Returns: the time that the peer has to wait; nil if it can begin now.
    private mutating func makeWay(
        for peer: TransportPeer, at now: Instant, effects: inout [ChannelEffect]
    ) -> Duration? {
        // Only one PASE session is possible at a time: the commissioner's.
        if sessions.sessions.contains(where: \.isPASE) { return PASEAttempt.limit }
        if let wait = lapses.wait(of: peer, at: now) { return wait }
        guard let attempt else { return nil }
        guard !attempt.peer.isSameHost(as: peer) else { return attempt.deadline - now }
        self.attempt?.isContested = true
        guard attempt.othersWaitUntil <= now else { return attempt.othersWaitUntil - now }
        lapse(at: now, effects: &effects)
        return nil
    }

    mutating func receivePake1(
        _ payload: [UInt8], on exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]
    ) {
        guard let passcode, let attempt, attempt.exchange == exchange, case .awaitingPake1 = attempt.state else {
            return refuseUnexpected(exchange, at: now, effects: &effects)
        }
        let secret = SessionSecret(random.octets(32))
        let octets = secret.octets
        let context = attempt.context
        guard let message = try? Pake1(payload),
            let answer = try? passcode.verifier.answer(
                proverShare: message.share.span, context: context.span, random: octets.span)
        else {
            // A share off the curve. No value that depends on the passcode was sent.
            refuse(.invalidParameter, on: exchange, at: now, effects: &effects)
            return endAttempt(isSuccess: false, effects: &effects)
        }
        let pake2 = PASEAnswer(answer)
        self.attempt?.state = .awaitingPake3(pake2)
        self.attempt?.stateEnds = now + PASEAttempt.pake3Limit
        self.answer(SecureChannelOpcode.pake2, pake2.pake2.octets, on: exchange, at: now, effects: &effects)
    }

    mutating func receivePake3(
        _ payload: [UInt8], on exchange: ExchangeID, at now: Instant, effects: inout [ChannelEffect]
    ) {
        guard let attempt, attempt.exchange == exchange, case .awaitingPake3(let answer) = attempt.state else {
            return refuseUnexpected(exchange, at: now, effects: &effects)
        }
        guard let message = try? Pake3(payload), let keys = answer.sessionKeys(confirmedBy: message.confirmation)
        else {
            refuse(.invalidParameter, on: exchange, at: now, effects: &effects)
            return endAttempt(isSuccess: false, effects: &effects)
        }
        insertSession(
            Session(
                id: attempt.localID, peerID: attempt.peerID, kind: .pase, fabric: nil, peer: attempt.peer, keys: keys,
                localNode: 0, counter: makeCounter(), peerParameters: attempt.peerParameters, lastHeard: now,
                lastUsed: now),
            effects: &effects)
        endAttempt(isSuccess: true, effects: &effects)
        conclude(.established, on: exchange, isReliable: true, at: now, effects: &effects)
    }

    /// Ends the attempt in progress. Every failure after Pake2 counts: the peer could verify a guess against cB.
    mutating func endAttempt(isSuccess: Bool, effects: inout [ChannelEffect]) {
        guard let ended = attempt else { return }
        attempt = nil
        if !isSuccess, case .awaitingPake3 = ended.state {
            countedFailures += 1
            effects.append(.attemptFailed)
        }
        effects.append(.attemptEnded)
        if countedFailures >= PASEAttempt.failureLimit, passcode != nil {
            passcode = nil
            effects.append(.attemptsExhausted)
        }
    }

    mutating func advancePASE(to now: Instant, effects: inout [ChannelEffect]) {
        if let attempt, attempt.deadline <= now { lapse(at: now, effects: &effects) }
    }

    /// Ends an attempt whose peer is silent.
    mutating func lapse(at now: Instant, effects: inout [ChannelEffect]) {
        guard let attempt else { return }
        lapses.record(attempt.peer, isContested: attempt.isContested, at: now)
        abandon(attempt.exchange)
        endAttempt(isSuccess: false, effects: &effects)
    }
}
