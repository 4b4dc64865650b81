// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing

@testable import Credentials

/// DESFire's secure messaging with AES, octet for octet (NXP AN12196 rev. 2.0, AN10922, AN10957; EV1 by a published
/// exchange).
@Suite struct DESFireTests {
    // MARK: Ciphers

    /// RFC 4493, 4: examples 1 to 4, of lengths 0, 16, 40 and 64.
    @Test(arguments: [
        (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
        (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
    ]) func macIsThatOfTheStandard(_ count: Int, _ mac: String) throws {
        let message = octets(
            "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
                + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
        let key = octets("2b7e151628aed2a6abf7158809cf4f3c")
        #expect(hex(try DESFireCipher.mac(key: key, Array(message.prefix(count)))) == mac)
    }

    /// AN10922, 2.2.1; AN10957, pages 13 and 14: a short input is padded to two blocks as well. The last two are by an
    /// independent implementation, for an input that fills the first block and one less.
    @Test(arguments: [
        ("00112233445566778899aabbccddeeff", "04782e21801d803042f54e585020416275", "a8dd63a3b89d54b37ca802473fda9175"),
        ("f3f9377698707b688eaf84abe39e3791", "04deadbeeffeed", "0bb408baff98b6ee9f2e1585777f6a51"),
        ("00112233445566778899aabbccddeeff", "04782e21801d80f51bc04e58502041", "4bb8baa6a495c60be339f5b5d2966395"),
        ("00112233445566778899aabbccddeeff", "04782e21801d80f51bc04e585020", "c59fbdc44483b7c43bf5ba9b3c2362a5"),
    ]) func keyIsDiversified(_ master: String, _ input: String, _ key: String) throws {
        #expect(hex(try DESFireCipher.diversified(octets(master), octets(input))) == key)
    }

    @Test func diversificationTakesAtMost31Octets() {
        let master = [UInt8](repeating: 0, count: 16)
        #expect(throws: CryptoError.invalidLength) { try DESFireCipher.diversified(master, []) }
        #expect(throws: CryptoError.invalidLength) {
            try DESFireCipher.diversified(master, [UInt8](repeating: 1, count: 32))
        }
        #expect(throws: Never.self) { try DESFireCipher.diversified(master, [UInt8](repeating: 1, count: 31)) }
    }

    // MARK: Sessions

    /// AN12196, table 14.
    @Test func sessionKeysAreDerived() throws {
        let session = try DESFireSession.counted(
            key: [UInt8](repeating: 0, count: 16), randomA: octets("13c5db8a5930439fc3def9a4c675360f"),
            randomB: octets("b9e2fc789b64bf237cccaa20ec7e6e48"), transaction: octets("9d00c4df"))
        guard case .counted(let encryption, let mac, let transaction, 0) = session else { throw CardRefusal.outOfOrder }
        #expect(hex(encryption) == "1309c877509e5a215007ff0ed19ca564")
        #expect(hex(mac) == "4c6626f5e72ea694202139295c7a7fc7")
        #expect(hex(transaction) == "9d00c4df")
    }

    /// AN12196, table 8: GetFileSettings in mode MAC.
    @Test func responseInModeMACIsVerified() throws {
        let start = DESFireSession.counted(
            encryption: [UInt8](repeating: 0, count: 16), mac: octets("8248134a386e86eb7faf54a52e536cb6"),
            transaction: octets("7a21085e"), counter: 0)
        var session = start
        #expect(hex(try session.command(0xF5, [0x02])) == "026597a457c8cd442c")
        let response = octets("0040eeee000100d1fe001f00004400004400002000006a00002a474282e7a47986")
        #expect(try session.response(response, .mac, count: 25) == Array(response.prefix(25)))
        for place in response.indices {
            var (changed, session) = (response, start)
            changed[place] ^= 1
            #expect(throws: CardRefusal.proof) { try session.response(changed, .mac, count: 25) }
        }
        // The same response again belongs to another command.
        #expect(throws: CardRefusal.proof) { try session.response(response, .mac, count: 25) }
    }

    /// AN12196, table 28: GetCardUID.
    @Test func uidIsDecrypted() throws {
        var session = DESFireSession.counted(
            encryption: octets("2b4d963c014dc36f24f69a50a394f875"), mac: octets("379d32130ce61705dd5fd8c36b95d764"),
            transaction: octets("df055522"), counter: 0)
        #expect(hex(try session.command(0x51, [])) == "8e2c155adda99be3")
        let response = octets("70756055688505b52a5e26e59e329cd6595f672298ea41b7")
        #expect(hex(try session.response(response, .full, count: 7)) == "04958caa5c5e80")
    }

    /// A response of a real card (NTAG 424 DNA, ReadData with ISO chaining), by its MAC.
    @Test func macOfARealCard() throws {
        let key = octets("ff831facdfea267567eabb827b266b1f")
        let command = try DESFireCipher.mac(key: key, octets("ad00001595b41903000000000000"))
        #expect(hex(DESFireCipher.truncated(command)) == "2c959ad85afdebb2")
        let data = octets(
            """
            b4173043af196e3140a67efb0bf051d84264fd86b439688302c0648bb46196044ce2329e0bb0880df3948f7ab315e9ac
            bcfe36caf02ff499a5ed61b86c625012da89b18d0c4975d2e18f765c254c14d1216779d43f94f871a516497879bc9550
            e37ae4357abca8e8f63c5e0d8f2e97e9a8120cec73f5fa6c309e40fbd7f1bf4df3c95960b8a852bfa7f8a87c63b0653a
            """)
        var session = DESFireSession.counted(
            encryption: key, mac: key, transaction: octets("1595b419"), counter: 0)
        #expect(try session.response(data + octets("05ec9ad9afcbef32"), .mac, count: data.count) == data)
    }

    // MARK: Transactions

    private static let key = octets("00112233445566778899aabbccddeeff")

    private static func credential(
        _ communication: DESFireCredential.Communication = .full, count: Int = 17
    ) throws -> DESFireCredential {
        let key = try #require(DESFireCredential.Key(number: 0, octets: key))
        return try #require(
            DESFireCredential(
                application: octets("f51bc0"), file: 1, count: count, communication: communication, key: key))
    }

    /// A source that gives one octet again and again.
    struct Constant: RandomSource {
        var octet: UInt8 = 0xB0
        mutating func fill(_ octets: inout MutableSpan<UInt8>) {
            for index in octets.indices { octets[index] = octet }
        }
    }

    static let exchange = [
        ("905a000003c01bf500", "9100"),
        ("9071000002000000", "83a356bc506c2e59d1220c0b4620d51d91af"),
        (
            "90af0000203fbb088e53842864ab054b7f820e450da1b65ce948436ea5dc16d5e3cf505f6100",
            "72dd5ab08f1a38ad65e90009594abfc24b788c86f0add7b4ba14b4872f4ad00a9100"
        ),
        (
            "90bd00000f01000000110000d6c4069db3f6b20300",
            "38284edf32ad63bbc3b97826900269d453b223f1a1cbd0101b879ccebae17ac6f212401c5b639dad9100"
        ),
    ]

    @Test func fileIsReadInModeFull() throws {
        var random = Constant()
        var transaction = DESFireTransaction(try Self.credential(), random: &random)
        var step = transaction.start()
        for (command, response) in Self.exchange {
            #expect(step == .transmit(octets(command)))
            step = transaction.receive(octets(response))
        }
        #expect(
            step
                == .decide(CardEvidence(kind: .desfire, identity: octets("0102030405060708090a0b0c0d0e0f1011"))))
        #expect(transaction.conclude(.opened) == .end(.concluded))
        #expect(transaction.receive(octets("9100")) == .end(.refused(.outOfOrder)))
    }

    /// Every octet of the card's proofs and data is covered.
    @Test(arguments: 2..<4) func changedResponseIsRefused(_ part: Int) throws {
        let response = octets(Self.exchange[part].1)
        for place in response.indices.dropLast(2) {
            var random = Constant()
            var transaction = DESFireTransaction(try Self.credential(), random: &random)
            _ = transaction.start()
            for (_, response) in Self.exchange.prefix(part) { _ = transaction.receive(octets(response)) }
            var changed = response
            changed[place] ^= 0x80
            let step = transaction.receive(changed)
            // The capabilities, and the identifier of the transaction, are covered by the next MAC.
            if part == 2, case .transmit = step {
                #expect(transaction.receive(octets(Self.exchange[3].1)) == .end(.refused(.proof)), "\(place)")
            } else {
                #expect(step == .end(.refused(.proof)), "\(place)")
            }
        }
    }

    /// Octets that were chosen instead of random numbers.
    struct Chosen: RandomSource {
        var chosen: [UInt8]
        mutating func fill(_ octets: inout MutableSpan<UInt8>) {
            for index in octets.indices { octets[index] = chosen[index] }
        }
    }

    /// A card's responses, and the reader's next commands, until the reader knows the keys of the session.
    static let exchangeOfEV1 = [
        ("9100", "9071000002000000"), ("911c", "9060000000"), ("0401010100160591af", "90af000000"),
        ("0401010104160591af", "90af000000"), ("0401020304050600000000001023" + "9100", "90aa0000010000"),
        (
            "b969fdfe56fd91fc9de6f6f213b8fd1e91af",
            "90af00002036aad7df6e436ba08d18613830a70d5ad43e3d3f4a8d47541eee623a934e477400"
        ),
        ("800db680bc146bd121d6578f2d2e20599100", "90bd0000070100000004000000"),
    ]

    /// EV1: AuthenticateAES of a published exchange, after EV2's command is unknown and the version is EV1's.
    @Test func cardOfEV1IsAuthenticated() throws {
        var random = Chosen(chosen: octets("f44b26f5686f3a391cd38ebd10772281"))
        let key = try #require(DESFireCredential.Key(number: 0, octets: [UInt8](repeating: 0, count: 16)))
        let credential = try #require(
            DESFireCredential(application: octets("f51bc0"), file: 1, count: 4, communication: .mac, key: key))
        var transaction = DESFireTransaction(credential, random: &random)
        _ = transaction.start()
        for (response, command) in Self.exchangeOfEV1 {
            #expect(transaction.receive(octets(response)) == .transmit(octets(command)), "\(command)")
        }
        // The MAC of the answer continues the vector that the command has left.
        let session = octets("f44b26f5c05ddd7110772281c4d066e8")
        let vector = try DESFireCipher.mac(key: session, octets("bd01000000040000"))
        let data = octets("deadbeef")
        let mac = try DESFireCipher.mac(key: session, data + [0x00], vector: vector)
        #expect(
            transaction.receive(data + mac.prefix(8) + [0x91, 0x00])
                == .decide(CardEvidence(kind: .desfire, identity: data)))
    }

    /// Without EV1's version there is no fallback to its authentication.
    @Test(arguments: ["12", "33"]) func laterCardIsNotAuthenticatedAsEV1(_ major: String) throws {
        var random = Constant()
        var transaction = DESFireTransaction(try Self.credential(), random: &random)
        _ = transaction.start()
        _ = transaction.receive(octets("9100"))
        #expect(transaction.receive(octets("911c")) == .transmit(octets("9060000000")))
        #expect(transaction.receive(octets("040101\(major)00160591af")) == .end(.refused(.version)))
    }

    @Test(arguments: [
        ("91a0", CardOutcome.absent), ("6a82", .absent), ("6e00", .absent), ("91ae", .refused(.statusWord)),
        ("00", .refused(.malformed)), ("", .refused(.malformed)), ("009100", .refused(.malformed)),
    ]) func selectionEnds(_ response: String, _ outcome: CardOutcome) throws {
        var random = Constant()
        var transaction = DESFireTransaction(try Self.credential(), random: &random)
        _ = transaction.start()
        #expect(transaction.receive(octets(response)) == .end(outcome))
    }

    @Test(arguments: [
        ("91ae", CardRefusal.proof), ("9140", .statusWord), ("6a82", .statusWord), ("0091af", .malformed),
    ])
    func authenticationIsRefused(_ response: String, _ refusal: CardRefusal) throws {
        var random = Constant()
        var transaction = DESFireTransaction(try Self.credential(), random: &random)
        _ = transaction.start()
        _ = transaction.receive(octets("9100"))
        #expect(transaction.receive(octets(response)) == .end(.refused(refusal)))
    }

    /// A card that reads a file in plain after EV2's authentication sends no MAC.
    @Test func fileInPlainIsRefused() throws {
        var random = Constant()
        var transaction = DESFireTransaction(try Self.credential(.mac), random: &random)
        _ = transaction.start()
        for (_, response) in Self.exchange.prefix(3) { _ = transaction.receive(octets(response)) }
        #expect(
            transaction.receive(octets("0102030405060708090a0b0c0d0e0f10119100")) == .end(.refused(.proof)))
    }

    /// A UID of zeros is a random one; a key derived of it would be the same for all cards.
    @Test func randomUIDNeedsTheCommonKey() throws {
        var credential = try Self.credential()
        credential.diversification = DESFireCredential.Diversification(system: octets("4e585020416263"))
        var random = Constant()
        var transaction = DESFireTransaction(credential, random: &random)
        _ = transaction.start()
        #expect(transaction.receive(octets("9100")) == .transmit(octets("9060000000")))
        _ = transaction.receive(octets("0401011200160591af"))
        _ = transaction.receive(octets("0401010200160591af"))
        #expect(
            transaction.receive(octets("00000000000000000000000010239100")) == .end(.refused(.unavailable)))
    }

    @Test func keyOfEqualOctetsIsKnown() throws {
        for (digits, isUniform) in [
            (String(repeating: "00", count: 16), true), (String(repeating: "a5", count: 16), true),
            (String(repeating: "00", count: 15) + "01", false), ("01" + String(repeating: "00", count: 15), false),
        ] {
            let key = try #require(DESFireCredential.Key(number: 0, octets: octets(digits)))
            #expect(key.isUniform == isUniform, "\(digits)")
        }
    }

    @Test func placesThatNoCardHasAreRefused() throws {
        let key = try #require(DESFireCredential.Key(number: 0, octets: Self.key))
        #expect(DESFireCredential.Key(number: 14, octets: Self.key) == nil)
        #expect(DESFireCredential.Key(number: 0, octets: Array(Self.key.dropLast())) == nil)
        #expect(DESFireCredential.Diversification(system: [UInt8](repeating: 0, count: 22)) == nil)
        #expect(DESFireCredential(application: [1, 2], file: 1, count: 4, key: key) == nil)
        #expect(DESFireCredential(application: [1, 2, 3], file: 32, count: 4, key: key) == nil)
        #expect(DESFireCredential(application: [1, 2, 3], file: 1, count: 0, key: key) == nil)
        #expect(DESFireCredential(application: [1, 2, 3], file: 1, count: 33, key: key) == nil)
    }
}

extension DESFireTransaction {
    fileprivate mutating func receive(_ response: [UInt8]) -> CardStep { receive(response.span) }
}
