// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import TestSupport
import Testing

@testable import MatterTestSupport

/// Matter Core 4.3.1.1, 4.14.2.4.1, 6.2 and 6.4.
@Suite("Fabric identity, signing request and device attestation, against a recorded commissioning")
struct IdentityTests {
    /// The identity of the recorded node, whose private key is not among the recordings.
    private func recordedIdentity() throws -> OperationalIdentity {
        try OperationalIdentity(
            index: 1, root: OperationalCertificate(tlv: CASERecording.root),
            intermediate: OperationalCertificate(tlv: CASERecording.intermediate),
            node: OperationalCertificate(tlv: CASERecording.node), groupKey: CASERecording.groupKey,
            key: PublicHolder(OperationalCertificate(tlv: CASERecording.node).publicKey))
    }

    @Test("Compressed fabric identifier, operational key, and the destination of the recorded Sigma1")
    func recordedFabric() throws {
        let identity = try recordedIdentity()
        #expect(identity.compressedFabricID == CredentialRecording.compressedFabricID)
        #expect(identity.operationalGroupKey == CredentialRecording.operationalGroupKey)
        #expect(identity.fabricID == 1)
        #expect(identity.nodeID == 4097)
        #expect(identity.rootPublicKey == CredentialRecording.rootPublicKey)
        let sigma1 = try TLVElement(CASERecording.sigma1).structure()
        let initiatorRandom = try sigma1.required(1).octets()
        let destination = try sigma1.required(3).octets()
        #expect(identity.destination(of: initiatorRandom) == destination)
        let other = initiatorRandom.map { ~$0 }
        #expect(identity.destination(of: other) != destination)
    }

    @Test("An identity needs the key of its certificate, and a group key of 16 octets")
    func identityFaults() throws {
        let chain = try Chain(LabCertificates.node)
        #expect(try chain.identity(with: LabCertificates.nodeKey).nodeID == 0x1001)
        let otherKey = [UInt8](repeating: 1, count: 32)
        #expect(throws: CertificateError.keyMismatch) { try chain.identity(with: otherKey) }
        let scalar = LabCertificates.nodeKey
        let key = try P256PrivateKey(scalar: scalar.span)
        for count in [0, 15, 17] {
            #expect(throws: CertificateError.groupKeyLength) {
                try OperationalIdentity(
                    index: 1, root: chain.root, intermediate: chain.intermediate, node: chain.node,
                    groupKey: [UInt8](repeating: 0, count: count), key: key)
            }
        }
    }

    @Test("The recorded signing request in its elements; the new one differs in its signature alone")
    func signingRequest() throws {
        let node = try OperationalCertificate(tlv: CASERecording.node)
        let fields = try TLVElement(CredentialRecording.requestElements).structure()
        let (recorded, nonce) = (try fields.required(1).octets(), try fields.required(2).octets())
        // A signature of fixed octets in place of the unknown key's.
        let holder = try PublicHolder(node.publicKey, signature: Array(recorded[(recorded.count - 70)...]))
        let request = try CertificateSigningRequest(for: holder)
        #expect(hex(request.der) == hex(recorded))
        #expect(request.elements(nonce: nonce) == CredentialRecording.requestElements)
    }

    @Test("A signing request is signed by its key")
    func requestSignature() throws {
        let key = try P256PrivateKey.generate()
        let der = try CertificateSigningRequest(for: key).der
        // Outer header of 3 octets, then the information with its own header, the algorithm of 12, the bit string.
        let information = Array(der[3..<3 + 3 + Int(der[5])])
        let signature = Array(der[(3 + information.count + 12 + 3)...])
        let isSigned = key.publicKey.isValid(signature: signature.span, for: information.span)
        #expect(isSigned)
    }

    @Test("The recorded attestation elements and both recorded signatures")
    func recordedAttestation() throws {
        let fields = try TLVElement(CredentialRecording.elements).structure()
        let key = try P256PrivateKey.generate()
        let attestation = DeviceAttestation(
            dac: CredentialRecording.dac, pai: CredentialRecording.pai, declaration: CredentialRecording.declaration,
            key: key)
        let elements = attestation.elements(
            nonce: try fields.required(2).octets(),
            time: MatterTime(rawValue: try fields.required(3).unsigned()))
        #expect(elements == CredentialRecording.elements)
        let point = try #require(publicKey(ofX509: CredentialRecording.dac))
        for (elements, signature) in [
            (CredentialRecording.elements, CredentialRecording.signature),
            (CredentialRecording.requestElements, CredentialRecording.requestSignature),
        ] {
            #expect(point.accepts(raw: signature, for: elements + PASERecording.attestationChallenge))
            #expect(!point.accepts(raw: signature, for: elements))
        }
        let own = try attestation.signature(over: elements, challenge: PASERecording.attestationChallenge)
        #expect(key.publicKey.accepts(raw: own, for: elements + PASERecording.attestationChallenge))
    }

    @Test("Without a clock the time is 0")
    func noClock() throws {
        let key = try P256PrivateKey.generate()
        let attestation = DeviceAttestation(dac: [], pai: [], declaration: [1], key: key)
        #expect(hex(attestation.elements(nonce: [2], time: nil)) == "15300101013002010224030018")
    }

    /// The point after the header of the bit string in a SubjectPublicKeyInfo.
    private func publicKey(ofX509 der: [UInt8]) -> P256PublicKey? {
        let head = octets("034200")
        for start in 0..<der.count - 68 where Array(der[start..<start + 3]) == head {
            let point = Array(der[start + 3..<start + 68])
            return try? P256PublicKey(point: point.span)
        }
        return nil
    }
}

/// A holder that answers with prepared octets.
private struct PublicHolder: HeldPrivateKey {
    let publicKey: P256PublicKey
    let signature: [UInt8]

    init(_ point: [UInt8], signature: [UInt8] = []) throws {
        publicKey = try P256PublicKey(point: point.span)
        self.signature = signature
    }

    func sharedSecret(with _: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> { throw .libraryFailure }
    func sign(_: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) { signature += self.signature }
}

extension P256PublicKey {
    /// `isValid(rawSignature:for:)` on arrays.
    fileprivate func accepts(raw signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(rawSignature: signature.span, for: message.span)
    }
}

extension OperationalIdentity {
    /// `destinationID(initiatorRandom:)` on an array.
    fileprivate func destination(of random: [UInt8]) -> [UInt8] { destinationID(initiatorRandom: random.span) }
}
