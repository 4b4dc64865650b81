// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// Pseudo-random changes of a phone's responses and plaintexts. No change may trap, and none may lead to a decision
/// about another credential than the phone's.
@Suite struct AliroHostileTests {
    /// Changes, cuts, doubles or replaces octets.
    private static func changed(_ octets: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var octets = octets
        switch random.below(6) {
        case 0: return Array(octets.prefix(Int(random.below(UInt64(octets.count) + 1))))
        case 1: return octets + random.octets(Int(random.below(8)))
        case 2: return random.octets(Int(random.below(300)))
        case 3:
            guard !octets.isEmpty else { return octets }
            let at = Int(random.below(UInt64(octets.count)))
            octets.replaceSubrange(at..<min(octets.count, at + 4), with: random.octets(Int(random.below(8))))
            return octets
        default:
            for _ in 0...random.below(3) where !octets.isEmpty {
                octets[Int(random.below(UInt64(octets.count)))] ^= 1 << UInt8(random.below(8))
            }
            return octets
        }
    }

    @Test(arguments: 0..<8 as Range<UInt64>)
    func changes(_ seed: UInt64) throws {
        var door = try AliroDoor()
        let issuer = try door.trustIssuer()
        var random = SplitMix64(seed: seed)
        let stages: [AliroPhone.Stage] = [.select, .authenticate0, .authenticate1, .selectStepUp, .envelope, .exchange]
        for _ in 0..<60 {
            door.store.remove(credential: [UInt8](try P256PrivateKey(AliroDoor.phone).publicPoint.octets))
            var phone = try door.phone(isKnown: random.below(2) == 0)
            phone.signals = UInt16(random.below(8))
            var maker = try AliroDocumentMaker(issuer, for: phone.point)
            phone.documents["aliro-a"] = try maker.document
            maker.type = "aliro-r"
            maker.value = .map([(0, 1), (1, 1), (2, .array([.map([(0, .octets(random.octets(32)))])]))])
            phone.documents["aliro-r"] = try maker.document
            let stage = stages[Int(random.below(UInt64(stages.count)))]
            let seed = random.next()
            let change: @Sendable ([UInt8]) -> [UInt8] = { octets in
                var random = SplitMix64(seed: seed)
                return AliroHostileTests.changed(octets, &random)
            }
            if random.below(2) == 0 {
                phone.changes[stage] = .data(change)
            } else {
                phone.changes[random.below(2) == 0 ? .authenticate1 : .envelope] = .plaintext(change)
            }
            for _ in 0..<2 {
                let tap = try door.tap(&phone)
                #expect(tap.outcome != nil)
                if let decided = tap.decided { #expect(decided.identity == phone.point) }
                if tap.decided == nil { #expect(!tap.storesKey && !tap.storesCredential) }
            }
        }
    }

    /// Octets in the place of each structure that documents have.
    @Test(arguments: 0..<4 as Range<UInt64>)
    func structures(_ seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var door = try AliroDoor()
        let issuer = try door.trustIssuer()
        let authority = try P256PrivateKey(AliroDoor.authority)
        let certificate = try AliroDocumentMaker.certificate(of: issuer, by: authority)
        let element = EncodedItem.map([
            (0, 1), (2, .array([.map([(0, 2), (1, 1)])])),
            (3, .array([.map([(0, 0), (2, .array([60, 1, 2, 1, 1]))])])),
            (6, .map([(.octets([1]), .array([.array([0, 1, 1, 1])]))])),
        ]).encoding
        let response = AliroDocumentMaker.response([try AliroDocumentMaker(issuer, for: nil).document])
        for _ in 0..<1000 {
            _ = AliroIssuerCertificate(Self.changed(certificate, &random))
            _ = try? AliroRevocation(Self.changed(element, &random))
            _ = try? AliroDocumentExchange.sealed(Self.changed(AliroWire.element(0x53, element), &random))
            _ = try? AliroReaderCertificate(
                Self.changed(AliroVector.certified.input("compressed_certificate"), &random),
                authority: authority.publicKey)
            let changed = Self.changed(response, &random)
            #expect(throws: AliroDocumentFault.self) {
                _ = try AliroDocument(
                    .access, in: changed.span, element: "matter1", for: [], trusting: door.store, at: door.moment)
            }
            let grant = CardGrant(
                issuer: [], anchor: [], signed: 0, validFrom: 0, validUntil: .max, needsTime: false,
                element: Self.changed(element, &random))
            _ = door.store.standing(
                of: AliroCredential(point: [], grant: grant), for: .unsecure, at: door.moment, in: door.zone)
        }
    }
}
