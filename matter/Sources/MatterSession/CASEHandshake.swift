// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import Timekeeping

/// A CASE handshake after the answer to Sigma1.
struct CASEHandshake: Sendable {
    /// The maximum number of handshakes in progress. Each occupies a few kilobytes, and costs a key agreement and a
    /// signature.
    static let limit = 8
    /// The maximum number of handshakes in progress with one host, so that a flood from one address leaves room for
    /// others.
    static let limitPerHost = 3
    /// The time limit for the initiator's next message: two signature verifications, and all transmissions of Sigma2
    /// and Sigma3 with default intervals.
    static let timeLimit = Duration.seconds(20)
    /// The time before another initiator can displace a handshake at a limit.
    static let protectedTime = Duration.seconds(3)

    enum State: Sendable {
        case awaitingSigma3(FullHandshake)
        /// The initiator verifies Sigma2Resume and reports success.
        case awaitingReport(ResumptionRecord, SessionKeys)
    }

    let exchange: ExchangeID
    let peer: TransportPeer
    /// The identifier that this node chose for the session.
    let localID: SessionID
    let peerID: UInt16
    let peerParameters: SessionParameters
    let fabric: OperationalIdentity
    /// The initiator's random number, which recognises a repeated Sigma1.
    let initiatorRandom: [UInt8]
    let state: State
    let began: Instant

    var ends: Instant { began + CASEHandshake.timeLimit }

    /// True if the initiator has proven an earlier session.
    var isResumption: Bool {
        if case .awaitingReport = state { true } else { false }
    }
}

/// The random numbers of the latest answered Sigma1, which make recordings of them useless.
struct AnsweredRandoms: Sendable {
    /// The maximum number of random numbers: more than the controllers of five fabrics use while a recording is of
    /// interest; 4 kB.
    static let limit = 128

    private var randoms: [[UInt8]] = []
    private var next = 0

    func contains(_ random: [UInt8]) -> Bool { randoms.contains(random) }

    mutating func insert(_ random: [UInt8]) {
        if randoms.count < AnsweredRandoms.limit { return randoms.append(random) }
        randoms[next] = random
        next = (next + 1) % AnsweredRandoms.limit
    }
}

/// The values of a full handshake between Sigma2 and Sigma3.
struct FullHandshake: Sendable {
    let secret: SessionSecret
    let initiatorKey: [UInt8]
    let responderKey: [UInt8]
    let resumptionID: [UInt8]
    /// Sigma1 ‖ Sigma2.
    let transcript: [UInt8]
}

/// The random values of a full handshake.
struct Sigma2Randomness: Sendable {
    let responderRandom: [UInt8]
    let resumptionID: [UInt8]
    let ephemeral: P256PrivateKey
}

extension FullHandshake {
    /// Answers Sigma1.
    ///
    /// - Returns: the handshake and Sigma2.
    /// - Throws: `invalidPoint` for an ephemeral key off the curve; `libraryFailure` if the holder of the fabric's key
    ///   does not respond.
    static func answer(
        _ sigma1: Sigma1, encoded sigma1Octets: [UInt8], as fabric: OperationalIdentity, localID: SessionID,
        parameters: SessionParameters, randomness: Sigma2Randomness
    ) throws(CryptoError) -> (handshake: FullHandshake, sigma2: [UInt8]) {
        let secret = try SessionSecret.shared(by: randomness.ephemeral, with: sigma1.initiatorKey)
        let point = randomness.ephemeral.publicPoint.octets
        let responderKey = point.indices.map { point[$0] }
        let signed = SigmaSigned(
            node: fabric.node.tlv, intermediate: fabric.intermediate?.tlv, signerKey: responderKey,
            otherKey: sigma1.initiatorKey
        ).octets
        let encrypted = SigmaEncrypted(
            node: fabric.node.tlv, intermediate: fabric.intermediate?.tlv,
            signature: try fabric.key.rawSignature(signed.span), resumptionID: randomness.resumptionID)
        let key = try CASEKeys.sigma2(
            secret: secret, groupKey: fabric.operationalGroupKey, responderRandom: randomness.responderRandom,
            responderKey: responderKey, sigma1: sigma1Octets)
        let sigma2 = Sigma2(
            responderRandom: randomness.responderRandom, responderSessionID: localID.rawValue,
            responderKey: responderKey,
            encrypted: try CASEKeys.seal(encrypted.octets, key: key, nonce: CASEKeys.sigma2Nonce),
            sessionParameters: parameters
        ).octets
        let handshake = FullHandshake(
            secret: secret, initiatorKey: sigma1.initiatorKey, responderKey: responderKey,
            resumptionID: randomness.resumptionID, transcript: sigma1Octets + sigma2)
        return (handshake, sigma2)
    }

    /// Verifies Sigma3 (4.14.2.3.2): decryption, chain to the fabric's root, same fabric, signature.
    ///
    /// - Returns: the peer and the session keys; nil if any check fails.
    func complete(
        _ payload: [UInt8], as fabric: OperationalIdentity, at time: MatterTime?
    ) -> (peer: NodeIdentity, keys: SessionKeys)? {
        guard let message = try? Sigma3(payload),
            let key = try? CASEKeys.sigma3(
                secret: secret, groupKey: fabric.operationalGroupKey, transcript: transcript),
            let clear = try? CASEKeys.open(message.encrypted, key: key, nonce: CASEKeys.sigma3Nonce),
            let part = try? SigmaEncrypted(clear),
            let peer = try? FullHandshake.verifyChain(part, of: fabric, at: time),
            peer.fabric == fabric.fabricID
        else { return nil }
        let signed = SigmaSigned(
            node: part.node, intermediate: part.intermediate, signerKey: initiatorKey, otherKey: responderKey
        ).octets
        guard let publicKey = try? P256PublicKey(point: peer.publicKey.span),
            publicKey.isValid(rawSignature: part.signature.span, for: signed.span),
            let keys = try? CASEKeys.session(
                secret: secret, groupKey: fabric.operationalGroupKey, transcript: transcript + payload)
        else { return nil }
        return (peer, keys)
    }

    private static func verifyChain(
        _ part: SigmaEncrypted, of fabric: OperationalIdentity, at time: MatterTime?
    ) throws(CertificateError) -> NodeIdentity {
        let node = try OperationalCertificate(tlv: part.node)
        let intermediate: OperationalCertificate? =
            if let tlv = part.intermediate { try OperationalCertificate(tlv: tlv) } else { nil }
        return try OperationalChain.verify(node: node, intermediate: intermediate, root: fabric.root, at: time)
    }
}
