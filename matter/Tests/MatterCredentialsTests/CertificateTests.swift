// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterTLV
import TestSupport
import Testing

@testable import MatterTestSupport

/// Matter Core 6.5: operational certificates.
@Suite("Operational certificates: TLV, DER and chains")
struct CertificateTests {
    @Test("The recorded certificates give the DER that was signed")
    func recordedCertificates() throws {
        let pairs = [
            (CASERecording.root, CredentialRecording.rootToBeSigned),
            (CASERecording.intermediate, CredentialRecording.intermediateToBeSigned),
            (CASERecording.node, CredentialRecording.nodeToBeSigned),
        ]
        for (tlv, der) in pairs { #expect(try OperationalCertificate(tlv: tlv).toBeSigned() == der) }
    }

    @Test("The recorded chain is valid, with and without a time")
    func recordedChain() throws {
        let (root, intermediate, node) = try (
            OperationalCertificate(tlv: CASERecording.root), OperationalCertificate(tlv: CASERecording.intermediate),
            OperationalCertificate(tlv: CASERecording.node)
        )
        try OperationalChain.verify(root: root)
        let time = try #require(MatterTime(unixTime: 1_750_000_000))
        for time in [nil, time] {
            let identity = try OperationalChain.verify(
                node: node, intermediate: intermediate, root: root, at: time, isSynchronized: true)
            #expect(identity.node == 4097)
            #expect(identity.fabric == 1)
            #expect(identity.tags == [])
            #expect(identity.publicKey == node.publicKey)
        }
    }

    @Test("Names, times and extensions of every form", arguments: LabCertificates.forms.indices)
    func forms(_ index: Int) throws {
        let form = LabCertificates.forms[index]
        let certificate = try OperationalCertificate(tlv: form.tlv)
        #expect(hex(certificate.toBeSigned()) == hex(form.toBeSigned), "\(form.form)")
        let scalar = LabCertificates.nodeKey
        let signer = try P256PrivateKey(scalar: scalar.span)
        #expect(certificate.isSigned(by: octets(signer.publicPoint.octets)), "\(form.form)")
    }

    @Test("A chain with tags, and one without an intermediate")
    func labChains() throws {
        let chain = try Chain(LabCertificates.node)
        #expect(
            try chain.verify() == chain.identity(node: 0x1001, fabric: 0x0102_0304_0506_0708, tags: [0x10001, 0x20003]))
        let sole = try Chain(LabCertificates.soleNode, intermediate: nil, root: LabCertificates.soleRoot)
        #expect(try sole.verify() == sole.identity(node: 0x2002, fabric: 7, tags: []))
    }

    @Test("Each flaw of a node's certificate has its error")
    func flaws() throws {
        let expected: [([UInt8], CertificateError)] = [
            (LabCertificates.flawSignature, .signature(.node)),
            (LabCertificates.flawOtherFabric, .fabric(.intermediate)),
            (LabCertificates.flawIsAuthority, .profile(.node, .authority)),
            (LabCertificates.flawNoNode, .profile(.node, .identifier)),
            (LabCertificates.flawNodeRange, .profile(.node, .nodeRange)), (LabCertificates.flawFourTags, .nameTooLong),
            (LabCertificates.flawSameTagTwice, .profile(.node, .tags)),
            (LabCertificates.flawTagVersionZero, .profile(.node, .tags)),
            (LabCertificates.flawNoExtendedUse, .profile(.node, .purposes)),
            (LabCertificates.flawExpired, .expired(.node)),
        ]
        for (tlv, error) in expected {
            #expect(throws: error) { try Chain(tlv).verify(at: MatterTime(unixTime: 1_750_000_000)) }
        }
        // For another key: valid as a chain, and no identity of this node.
        let other = try Chain(LabCertificates.flawOtherKey)
        _ = try other.verify()
        #expect(throws: CertificateError.keyMismatch) { try other.identity(with: LabCertificates.nodeKey) }
    }
}

/// A node's certificate with its issuers.
struct Chain {
    let node: OperationalCertificate
    let intermediate: OperationalCertificate?
    let root: OperationalCertificate

    init(
        _ node: [UInt8], intermediate: [UInt8]? = LabCertificates.intermediate, root: [UInt8] = LabCertificates.root
    ) throws {
        self.node = try OperationalCertificate(tlv: node)
        self.intermediate = try intermediate.map { try OperationalCertificate(tlv: $0) }
        self.root = try OperationalCertificate(tlv: root)
    }

    @discardableResult
    func verify(at time: MatterTime? = nil, isSynchronized: Bool = false) throws -> NodeIdentity {
        try OperationalChain.verify(
            node: node, intermediate: intermediate, root: root, at: time, isSynchronized: isSynchronized)
    }

    func identity(node id: NodeID, fabric: FabricID, tags: [CASEAuthenticatedTag]) -> NodeIdentity {
        NodeIdentity(node: id, fabric: fabric, tags: tags, publicKey: node.publicKey)
    }

    func identity(with key: [UInt8]) throws -> OperationalIdentity {
        try OperationalIdentity(
            index: 1, root: root, intermediate: intermediate, node: node, groupKey: CASERecording.groupKey,
            key: P256PrivateKey(scalar: key.span))
    }
}
