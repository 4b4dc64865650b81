// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import TestSupport
import Testing

@testable import Contactless

/// PKOC and DESFire cards against the reader's transactions.
@Suite struct PlainCardTests {
    private static let master = octets("00112233445566778899aabbccddeeff")
    private static let uid = octets("04782e21801d80")
    private static let number = octets("0011223344556677")

    @Test("A PKOC card proves its key")
    func pkoc() throws {
        let key = try P256PrivateKey.generate()
        var card = PKOCCard(key, activation: .anyCard)
        for _ in 0..<2 {
            var random = SplitMix64(seed: 1)
            var transaction = PKOCTransaction(readerID: .none, random: &random)
            let result = run(&transaction, with: &card)
            #expect(result.evidence == CardEvidence(kind: .pkoc, identity: key.publicPoint.list))
            #expect(result.outcome == .concluded)
        }
    }

    @Test(
        "A PKOC card refuses what its specification does not have",
        arguments: [
            ("00a4040008a00000089800000200", "6a82"), ("0080000000", "6d00"), ("9080000000", "6e00"),
            ("80800001", "6985"), ("00a40400", "6a82"), ("00", "6700"), ("80800001ff00", "6700"),
        ])
    func refusals(_ command: String, _ word: String) throws {
        var card = PKOCCard(try P256PrivateKey.generate(), activation: .anyCard)
        var random = SplitMix64(seed: 1)
        let response = card.respond(to: octets(command), random: &random)
        #expect(response.map { hex($0) } == word)
    }

    @Test(
        "A DESFire card gives its number",
        arguments: DESFireContents.Generation.allCases, [DESFireCredential.Communication.mac, .full])
    func desfire(_ generation: DESFireContents.Generation, _ communication: DESFireCredential.Communication) throws {
        for (system, hasRandomUID) in [(nil, false), (octets("4e585020416275"), false), ([], true)] {
            var contents = DESFireContents(
                number: PlainCardTests.number, key: PlainCardTests.master, uid: PlainCardTests.uid)
            (contents.generation, contents.system) = (generation, system)
            contents.mode = communication == .mac ? .mac : .full
            let uidKey = octets("102132435465768798a9bacbdcedfe0f")
            if hasRandomUID { contents.uidKey = (1, uidKey) }
            var card = DESFireCard(contents, activation: .anyCard)
            let key = try #require(DESFireCredential.Key(number: 0, octets: PlainCardTests.master))
            var credential = try #require(
                DESFireCredential(
                    application: contents.application, file: 1, count: 8, communication: communication, key: key))
            if let system {
                credential.diversification = DESFireCredential.Diversification(
                    system: system, uidKey: hasRandomUID ? DESFireCredential.Key(number: 1, octets: uidKey) : nil)
            }
            var random = SplitMix64(seed: 3)
            var transaction = DESFireTransaction(credential, random: &random)
            let result = run(&transaction, with: &card)
            #expect(result.evidence == CardEvidence(kind: .desfire, identity: PlainCardTests.number))
            #expect(result.outcome == .concluded)
        }
    }

    @Test("A DESFire card refuses another key, and a reader refuses a file in plain")
    func desfireRefusals() throws {
        var contents = DESFireContents(
            number: PlainCardTests.number, key: octets("f3f9377698707b688eaf84abe39e3791"), uid: PlainCardTests.uid)
        let key = try #require(DESFireCredential.Key(number: 0, octets: PlainCardTests.master))
        let credential = try #require(
            DESFireCredential(application: contents.application, file: 1, count: 8, key: key))
        for mode in [DESFireContents.Mode.full, .plain] {
            contents.mode = mode
            if mode == .plain { contents.key = PlainCardTests.master }
            var card = DESFireCard(contents, activation: .anyCard)
            var random = SplitMix64(seed: 3)
            var transaction = DESFireTransaction(credential, random: &random)
            let result = run(&transaction, with: &card)
            #expect(result.evidence == nil)
            if case .refused? = result.outcome {
            } else {
                Issue.record("\(mode): \(String(describing: result.outcome))")
            }
        }
    }

    @Test("AN10922: the card's key, of the published example")
    func diversification() {
        let input = octets("04782e21801d803042f54e585020416275")
        #expect(
            hex(DESFireCardCipher.diversified(PlainCardTests.master, input)) == "a8dd63a3b89d54b37ca802473fda9175")
        let short = DESFireCardCipher.diversified(
            octets("f3f9377698707b688eaf84abe39e3791"), octets("04deadbeeffeed"))
        #expect(hex(short) == "0bb408baff98b6ee9f2e1585777f6a51")
    }
}
