// SPDX-License-Identifier: Apache-2.0

import Crypto
import Devices
import MatterCredentials
import MatterTLV
import TestSupport
import Testing

/// Matter Core 6.2 and 6.3, as the CHIP controller judges them.
@Suite("Attestation sets: each fault is found by the check that its result names")
struct AttestationTests {
    private static let vendor: VendorID = 0xFFF1
    private static let product: ProductID = 0x8001

    private func material(_ set: AttestationSet) throws -> (AttestationMaterial, AttestationAuthority) {
        let authority = try AttestationAuthority(key: .generate())
        var random = SystemRandomSource()
        let material = try authority.issue(
            set, vendor: AttestationTests.vendor, product: AttestationTests.product, deviceType: 0x000A,
            random: &random)
        return (material, authority)
    }

    @Test("A commissioner that verifies all gives the result of the table", arguments: AttestationSet.allCases)
    func results(_ set: AttestationSet) throws {
        let (material, authority) = try material(set)
        let commissioner = AttestationCommissioner(trusted: authority.certificate, vendor: 0xFFF1, today: 20_260_101)
        let challenge = [UInt8](repeating: 7, count: 16)
        let nonce = (0..<32).map { UInt8($0) }
        let elements = material.elements(nonce: nonce, time: nil)
        let result = try commissioner.judge(
            material, elements: elements, signature: material.signature(over: elements, challenge: challenge),
            nonce: nonce, challenge: challenge)
        #expect(result == set.result)
        let request = [UInt8](repeating: 9, count: 80)
        let signature = try material.requestSignature(over: request, challenge: challenge)
        let isSigned =
            try set == .paiMissing
            || commissioner.accepts(
                signature, over: request + challenge, from: material.attestation.dac)
        #expect(isSigned == (set != .requestSignature && set != .dacKey))
    }

    @Test("Certificates have at most 600 octets, and each set has texts of one line")
    func limits() throws {
        for set in AttestationSet.allCases {
            let (material, authority) = try material(set)
            #expect(max(material.attestation.dac.count, material.attestation.pai.count) <= 600)
            #expect(authority.certificate.count <= 600)
            for text in [set.fault, set.prompt] { #expect(!text.isEmpty && !text.contains("\n") && text.count < 120) }
        }
    }

    /// The content of the recorded declaration, for FFF4/1234 and device type 0x16.
    @Test("The declaration's TLV has the recorded form")
    func declarationContent() throws {
        let authority = try AttestationAuthority(key: .generate())
        var random = SystemRandomSource()
        let material = try authority.issue(
            .good, vendor: 0xFFF4, product: 0x1234, deviceType: 0x16, random: &random)
        let recorded = """
            152400012501f4ff3602053412182403162c0413435341303030303053574330303030302d3030240500240600240701 24080018
            """
        #expect(hex(material.attestation.declaration).contains(hex(octets(recorded))))
        // All octets before the signature are those of the recorded declaration, but for its length.
        let head = "06092a864886f70d010702a081"
        #expect(hex(material.attestation.declaration).dropFirst(6).hasPrefix(head))
    }

    @Test("An authority of the same key is trusted by the older certificate")
    func sameAuthority() throws {
        let key = try P256PrivateKey.generate()
        let (older, newer) = (try AttestationAuthority(key: key), try AttestationAuthority(key: key))
        var random = SystemRandomSource()
        let material = try newer.issue(
            .good, vendor: AttestationTests.vendor, product: AttestationTests.product, deviceType: 0x000A,
            random: &random)
        let commissioner = AttestationCommissioner(trusted: older.certificate, vendor: 0xFFF1, today: 20_260_101)
        let nonce = [UInt8](repeating: 1, count: 32)
        let elements = material.elements(nonce: nonce, time: nil)
        let result = try commissioner.judge(
            material, elements: elements, signature: material.signature(over: elements, challenge: []), nonce: nonce,
            challenge: [])
        #expect(result == .success)
    }
}
