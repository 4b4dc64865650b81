// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterSession
import MatterTLV
import TestSupport
import Testing

/// A controller up to the CASE session.
final class CASEInitiator {
    /// The controller's record that resumes a session.
    struct Resumption {
        var id: [UInt8]
        var secret: [UInt8]
    }

    var messages: TestInitiator
    let fabric: TestFabric
    let sessionID: UInt16
    let node: NodeID
    var random: [UInt8]
    var key: P256PrivateKey
    var certificate: OperationalCertificate
    private let ephemeral: P256PrivateKey
    private var transcript: [UInt8] = []
    private(set) var resumption: Resumption?

    /// A controller.
    ///
    /// - Parameter random: its random number is 32 times this octet; nil for another number for each `messages.node`.
    init(
        _ messages: TestInitiator = TestInitiator(), fabric: TestFabric, node: NodeID = 112_233,
        sessionID: UInt16 = 0xCAFE, random: UInt8? = nil, tags: [CASEAuthenticatedTag] = []
    ) throws {
        self.messages = messages
        self.fabric = fabric
        self.node = node
        self.sessionID = sessionID
        let ephemeral = messages.node
        self.random = (0..<32).map { random ?? UInt8(truncatingIfNeeded: ephemeral >> (8 * ($0 % 8))) }
        let scalar = [UInt8](repeating: 0x44, count: 32)
        key = try P256PrivateKey(scalar: scalar.span)
        let other = [UInt8](repeating: 0x55, count: 32)
        self.ephemeral = try P256PrivateKey(scalar: other.span)
        certificate = try fabric.certificate(node: node, key: key, tags: tags)
    }

    /// Sigma1 to a node of the fabric.
    ///
    /// - Parameter session: the controller's session parameters, a structure; nil for none.
    func sigma1(
        to identity: OperationalIdentity, resuming resumption: Resumption? = nil, tag: [UInt8]? = nil,
        session: TLVElement? = nil
    ) throws -> [UInt8] {
        self.resumption = resumption
        let random = random
        let destination = identity.destinationID(initiatorRandom: random.span)
        var writer = TLVWriter()
        var resumptionTag = tag
        if let resumption {
            resumptionTag = try CASEKeys.resumptionTag(
                secret: SessionSecret(resumption.secret), initiatorRandom: random, id: resumption.id,
                isFromInitiator: true)
        }
        writer.structure(as: .anonymous) { sigma in
            sigma.octets(random, as: 1)
            sigma.unsigned(sessionID, as: 2)
            sigma.octets(destination, as: 3)
            sigma.octets(octets(ephemeral.publicPoint.octets), as: 4)
            if let session { sigma.element(session, as: 5) }
            if let resumption { sigma.octets(resumption.id, as: 6) }
            if let resumptionTag { sigma.octets(resumptionTag, as: 7) }
        }
        transcript = writer.octets
        return messages.message(0x30, transcript)
    }

    /// Sigma3, the answer to Sigma2, and the session that it makes.
    ///
    /// - Parameter change: a change of the encrypted part.
    func sigma3(
        after datagram: [UInt8], from identity: OperationalIdentity,
        changing change: (inout SigmaPart) -> Void = { _ in }
    ) throws -> (octets: [UInt8], session: TestSession) {
        let received = try messages.read(datagram)
        #expect(received.proto.opcode == 0x31)
        let fields = try TLVElement(received.payload).structure()
        let peerKey = try fields.required(3).octets(exactly: 65)
        let shared = octets(try ephemeral.sharedSecret(with: peerKey.span))
        let secret = SessionSecret(shared)
        let sigma2Key = try CASEKeys.sigma2(
            secret: secret, groupKey: identity.operationalGroupKey, responderRandom: fields.required(1).octets(),
            responderKey: peerKey, sigma1: transcript)
        let clear = try CASEKeys.open(
            fields.required(4).octets(), key: sigma2Key, nonce: CASEKeys.sigma2Nonce)
        let ownKey = octets(ephemeral.publicPoint.octets)
        try check(clear, from: identity, signed: (peerKey, ownKey))
        resumption = Resumption(id: try TLVElement(clear).structure().required(4).octets(exactly: 16), secret: shared)
        transcript += received.payload
        var part = SigmaPart(node: certificate.tlv)
        let signed = part.signed(by: ownKey, for: peerKey)
        part.signature = try key.rawSignature(signed.span)
        change(&part)
        let sigma3Key = try CASEKeys.sigma3(
            secret: secret, groupKey: identity.operationalGroupKey, transcript: transcript)
        var writer = TLVWriter()
        try writer.structure(as: .anonymous) { sigma in
            sigma.octets(try CASEKeys.seal(part.octets, key: sigma3Key, nonce: CASEKeys.sigma3Nonce), as: 1)
        }
        transcript += writer.octets
        let keys = try CASEKeys.session(
            secret: secret, groupKey: identity.operationalGroupKey, transcript: transcript)
        let peerID: UInt16 = try fields.required(2).unsigned()
        return (
            messages.message(
                0x32, writer.octets, acknowledging: received.isReliable ? received.header.counter : nil),
            session(keys, peerID: peerID, with: identity)
        )
    }

    /// Verifies Sigma2Resume; the status report that answers it, and the session.
    func finish(
        after datagram: [UInt8], from identity: OperationalIdentity, report: StatusReport = .established
    ) throws -> (octets: [UInt8], session: TestSession) {
        let received = try messages.read(datagram)
        #expect(received.proto.opcode == 0x33)
        let old = try #require(resumption)
        let fields = try TLVElement(received.payload).structure()
        let new = try fields.required(1).octets(exactly: 16)
        let secret = SessionSecret(old.secret)
        let tag = try CASEKeys.resumptionTag(secret: secret, initiatorRandom: random, id: new, isFromInitiator: false)
        #expect(try fields.required(2).octets() == tag)
        let keys = try CASEKeys.resumed(secret: secret, initiatorRandom: random, id: old.id)
        resumption?.id = new
        let peerID: UInt16 = try fields.required(3).unsigned()
        return (
            messages.message(0x40, report.octets, acknowledging: received.header.counter),
            session(keys, peerID: peerID, with: identity)
        )
    }

    /// Runs the full handshake.
    func establish(
        with rig: ChannelRig, to identity: OperationalIdentity, from peer: TransportPeer = .host(1)
    ) throws -> TestSession {
        let sigma2 = try rig.answer(sigma1(to: identity), from: peer)
        let sigma3 = try sigma3(after: sigma2, from: identity)
        let report = try messages.read(rig.answer(sigma3.octets, from: peer))
        #expect(report.report == .established)
        rig.receive(messages.message(0x10, acknowledging: report.header.counter), from: peer)
        return sigma3.session
    }

    private func session(_ keys: SessionKeys, peerID: UInt16, with identity: OperationalIdentity) -> TestSession {
        TestSession(
            keys: keys, localID: sessionID, peerID: peerID, localNode: node.rawValue,
            peerNode: identity.nodeID.rawValue)
    }

    private func check(
        _ encrypted: [UInt8], from identity: OperationalIdentity, signed keys: (signer: [UInt8], other: [UInt8])
    ) throws {
        let part = try SigmaPart(encrypted)
        #expect(part.node == identity.node.tlv)
        let signed = part.signed(by: keys.signer, for: keys.other)
        let point = identity.node.publicKey
        let key = try P256PublicKey(point: point.span)
        let isValid = key.isValid(rawSignature: part.signature.span, for: signed.span)
        #expect(isValid)
    }
}

/// The encrypted part of Sigma2 and Sigma3 (4.14.2.3), written and read apart from the channel's own code.
struct SigmaPart {
    var node: [UInt8]
    var intermediate: [UInt8]?
    var signature: [UInt8] = []

    init(node: [UInt8]) { self.node = node }

    init(_ octets: [UInt8]) throws {
        let fields = try TLVElement(octets).structure()
        node = try fields.required(1).octets()
        intermediate = try fields[2]?.octets()
        signature = try fields.required(3).octets(exactly: 64)
    }

    var octets: [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { part in
            part.octets(node, as: 1)
            if let intermediate { part.octets(intermediate, as: 2) }
            part.octets(signature, as: 3)
        }
        return writer.octets
    }

    /// The octets that the signature covers: certificates, the signer's ephemeral key, the other side's.
    func signed(by signerKey: [UInt8], for otherKey: [UInt8]) -> [UInt8] {
        var writer = TLVWriter()
        writer.structure(as: .anonymous) { signed in
            signed.octets(node, as: 1)
            if let intermediate { signed.octets(intermediate, as: 2) }
            signed.octets(signerKey, as: 3)
            signed.octets(otherKey, as: 4)
        }
        return writer.octets
    }
}
