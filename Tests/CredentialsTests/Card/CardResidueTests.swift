// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import TestSupport
import Testing
import Timekeeping

@testable import Credentials

/// Residue of card transactions in memory: each runs in its own process, whose writable memory is searched once the
/// transaction is wiped. The secrets are known only as hexadecimal digits there: the search does not find itself.
@Suite struct CardResidueTests {
    /// Proof that the search works: octets that are in memory are found.
    @Test func residueIsFound() async {
        await #expect(processExitsWith: .success) {
            let kept = octets("c0ffee15900dc0ffee15900dc0ffee15")
            let residue = Residue.found(["kept": "c0ffee15900dc0ffee15900dc0ffee15", "never": "5eed5eedfeed5eed"])
            try #require(residue == ["kept"] && kept.count == 16)
        }
    }

    @Test func aDESFireTransactionLeavesNoSessionKey() async {
        await #expect(processExitsWith: .success) {
            try Self.readFile()
            wipeStack()
            let residue = Residue.found(Self.sessionKeys)
            try #require(residue == [])
        }
    }

    /// EV1's session key has eight octets of each random number, and nothing else.
    @Test func aDESFireTransactionWithEV1LeavesNoRandomNumber() async {
        await #expect(processExitsWith: .success) {
            try Self.authenticateEV1()
            wipeStack()
            let residue = Residue.found(Self.secretsOfEV1)
            try #require(residue == [])
        }
    }

    /// AN10922, 2.2.1: the key of one card.
    @Test func aDESFireTransactionLeavesNoDiversifiedKey() async {
        await #expect(processExitsWith: .success) {
            try Self.diversify()
            wipeStack()
            let residue = Residue.found(["key of the card": "a8dd63a3b89d54b37ca802473fda9175"])
            try #require(residue == [])
        }
    }

    @Test func anAliroTransactionLeavesNoKey() async {
        await #expect(processExitsWith: .success) {
            try Self.standard()
            wipeStack()
            let residue = Residue.found(Self.aliroKeys)
            try #require(residue == [])
        }
    }

    @Test func anAliroTransactionOnALinkLeavesNoKey() async {
        await #expect(processExitsWith: .success) {
            try Self.openOnALink()
            wipeStack()
            let residue = Residue.found(try Self.aliroLinkKeys())
            try #require(residue == [])
        }
    }

    /// A phone that was removed while it opened: the store does not want its key.
    @Test func anAliroKeyThatTheStoreRefusesIsWiped() async {
        await #expect(processExitsWith: .success) {
            try Self.openOnALink { store, changes in
                var empty = AliroStore(binding: store.binding)
                let areRefused = changes.map { !empty.apply($0) }
                try #require(areRefused == [true])
            }
            wipeStack()
            let residue = Residue.found(try Self.aliroLinkKeys())
            try #require(residue == [])
        }
    }

    @Test func anAliroKeyOfARemovedPhoneIsWiped() async {
        await #expect(processExitsWith: .success) {
            try Self.openOnALink { store, changes in
                var store = store
                for change in changes { store.apply(change) }
                try #require(store.persistentPoints.count == 1)
                let point = store.persistentPoints[0]
                store.remove(credential: point)
            }
            wipeStack()
            let residue = Residue.found(try Self.aliroLinkKeys())
            try #require(residue == [])
        }
    }

    @Test func aPKOCTransactionOnALinkLeavesNoKey() async {
        await #expect(processExitsWith: .success) {
            try Self.agreeOnALink()
            wipeStack()
            let residue = Residue.found([
                "shared X": "19cfbcaa5b6f16b6d0d45634acd7aaa05b764a17e520771158a8db8688ba1f87",
                "AES key": "48e8c6f209e1d6dd0dcde7b8e168d149cba4bee8f24bb6f7b644d06559f539be",
            ])
            try #require(residue == [])
        }
    }

    /// Both sides' ephemeral keys are those of PKOCLinkTransactionTests; the phone leaves before its credential.
    private static func agreeOnALink() throws {
        func key(_ octet: UInt8) throws -> P256PrivateKey {
            let scalar = [UInt8](repeating: 0, count: 30) + [octet, octet]
            return try P256PrivateKey(scalar: scalar.span)
        }
        var transaction = PKOCLinkTransaction(reader: .none, site: try key(0x33), ephemeral: try key(0x11))
        _ = transaction.start()
        let message = [0x07, 0x41] + [UInt8](try key(0x22).publicKey.point.octets)
        guard case .send(let signature) = transaction.receive(message.span), signature.count == 66 else {
            throw CardRefusal.outOfOrder
        }
        transaction.wipe()
    }

    private static let sessionKeys = [
        "encryption key": "a27f7ee31c5dfdd7d166adf77eb24232", "MAC key": "5820843ef096c46c49eca63b366c62ea",
    ]

    private static var aliroKeys: [String: String] {
        let names = [
            "ecdh_x", "Kdh", "ExpeditedSKReader", "ExpeditedSKDevice", "StepUpSK", "StepUpSKReader", "StepUpSKDevice",
            "Kpersistent",
        ]
        return (AliroVector.standard.derived ?? [:]).filter { names.contains($0.key) }
    }

    private static func aliroLinkKeys() throws -> [String: String] {
        let file = try VectorFile("aliro-ble")
        let names = [
            "ecdh_x", "Kdh", "ExpeditedSKReader", "ExpeditedSKDevice", "StepUpSK", "StepUpSKReader", "StepUpSKDevice",
            "BleSK", "BleSKReader", "BleSKDevice", "Kpersistent",
        ]
        return Dictionary(uniqueKeysWithValues: names.map { ($0, file.text("rke/derived/\($0)")) })
    }

    /// The changes of the store stay in the transaction, unless `take` gets them.
    private static func openOnALink(_ take: ((AliroStore, [AliroEffect]) throws -> Void)? = nil) throws {
        let file = try VectorFile("aliro-ble")
        func input(_ name: String) -> [UInt8] { file.octets("rke/inputs/\(name)") }
        let identifier = try #require(
            AliroReader.Identifier(
                group: input("reader_group_identifier"), sub: input("reader_group_sub_identifier")))
        let reader = AliroReader(key: try P256PrivateKey(input("reader_private_key")), identifier: identifier)
        var store = AliroStore(binding: reader.binding)
        try store.include(AliroCredential(try P256PublicKey(input("credential_public_key"))))
        var transaction = AliroLinkTransaction(
            AliroTransaction(
                reader: reader, store: store, at: Moment(instant: .origin, epochSeconds: AliroDoor.noon), in: .utc,
                ephemeral: try P256PrivateKey(input("reader_ephemeral_private_key")),
                transaction: input("transaction_identifier"), over: .bluetooth))
        var step = transaction.start()
        for index in 0..<file.count("rke/messages") where file.text("rke/messages/\(index)/to") == "reader" {
            let wire = file.octets("rke/messages/\(index)/wire")
            step = transaction.receive(wire.span)
        }
        guard case .decide = step else { throw CardRefusal.proof }
        // Until the end they are there.
        try #require(Residue.found(try aliroLinkKeys()).isSuperset(of: ["BleSKReader", "BleSKDevice", "Kpersistent"]))
        _ = transaction.conclude(.opened)
        try take?(store, transaction.takeEffects())
        transaction.wipe()
    }

    private static func readFile() throws {
        let key = try #require(
            DESFireCredential.Key(number: 0, octets: octets("00112233445566778899aabbccddeeff")))
        let credential = try #require(
            DESFireCredential(application: octets("f51bc0"), file: 1, count: 17, communication: .full, key: key))
        var random = DESFireTests.Constant()
        var transaction = DESFireTransaction(credential, random: &random)
        var step = transaction.start()
        for (_, response) in DESFireTests.exchange {
            let response = octets(response)
            step = transaction.receive(response.span)
        }
        guard case .decide = step else { throw CardRefusal.proof }
        // Until the end they are there.
        try #require(Residue.found(sessionKeys).count == 2)
        _ = transaction.conclude(.opened)
        transaction.wipe()
    }

    private static let secretsOfEV1 = [
        "session key": "f44b26f5c05ddd7110772281c4d066e8", "RndA": "f44b26f5686f3a391cd38ebd10772281",
        "RndB": "c05ddd714fd788a6b7b754f3c4d066e8",
    ]

    private static func authenticateEV1() throws {
        let key = try #require(DESFireCredential.Key(number: 0, octets: [UInt8](repeating: 0, count: 16)))
        let credential = try #require(
            DESFireCredential(application: octets("f51bc0"), file: 1, count: 4, communication: .mac, key: key))
        var random = DESFireTests.Chosen(chosen: octets("f44b26f5686f3a391cd38ebd10772281"))
        var transaction = DESFireTransaction(credential, random: &random)
        wipeSecret(&random.chosen)
        var step = transaction.start()
        for (response, _) in DESFireTests.exchangeOfEV1 {
            let response = octets(response)
            step = transaction.receive(response.span)
        }
        guard case .transmit = step else { throw CardRefusal.proof }
        // Until the end they are there.
        try #require(Residue.found(secretsOfEV1) == ["session key", "RndA", "RndB"])
        transaction.wipe()
    }

    /// The card leaves once it has the answer to its challenge.
    private static func diversify() throws {
        let master = try #require(
            DESFireCredential.Key(number: 0, octets: octets("00112233445566778899aabbccddeeff")))
        let credential = try #require(
            DESFireCredential(
                application: octets("3042f5"), file: 1, count: 4, communication: .full, key: master,
                diversification: DESFireCredential.Diversification(system: Array("NXP Abu".utf8))))
        var random = DESFireTests.Constant()
        var transaction = DESFireTransaction(credential, random: &random)
        var step = transaction.start()
        for response in [
            "9100", "0401013300160591af", "0401013300160591af", "04782e21801d8000000000001023" + "9100",
            "000102030405060708090a0b0c0d0e0f91af",
        ] {
            let response = octets(response)
            step = transaction.receive(response.span)
        }
        guard case .transmit = step else { throw CardRefusal.proof }
        // Until the end it is there.
        try #require(Residue.found(["key": "a8dd63a3b89d54b37ca802473fda9175"]) == ["key"])
        transaction.wipe()
    }

    private static func standard() throws {
        let vector = AliroVector.standard
        let identifier = try #require(
            AliroReader.Identifier(
                group: vector.input("reader_group_identifier"), sub: vector.input("reader_group_sub_identifier")))
        let reader = AliroReader(key: try P256PrivateKey(vector.input("reader_private_key")), identifier: identifier)
        var store = AliroStore(binding: reader.binding)
        try store.include(AliroCredential(try P256PublicKey(vector.input("credential_public_key"))))
        var transaction = AliroTransaction(
            reader: reader, store: store, at: Moment(instant: .origin, epochSeconds: AliroDoor.noon), in: .utc,
            ephemeral: try P256PrivateKey(vector.input("reader_ephemeral_private_key")),
            transaction: vector.input("transaction_identifier"))
        var step = transaction.start()
        var responses = vector.apdus.map(\.response)[...]
        while true {
            switch step {
            case .transmit:
                guard let next = responses.popFirst() else { throw CardRefusal.outOfOrder }
                let response = octets(next)
                step = transaction.receive(response.span)
            case .decide:
                try #require(Residue.found(aliroKeys).isSuperset(of: ["ExpeditedSKReader", "Kpersistent"]))
                step = transaction.conclude(.opened)
            case .end(.concluded): return transaction.wipe()
            case .end: throw CardRefusal.proof
            }
        }
    }
}

/// A search of this process's writable memory.
private enum Residue {
    /// The names of the secrets, in hexadecimal digits, that are in memory.
    static func found(_ secrets: [String: String]) -> Set<String> {
        Set(secrets.filter { _, digits in regions().contains { contains($0, Array(digits.utf8)) } }.keys)
    }

    /// The writable maps: heap, stacks, data.
    private static func regions() -> [UnsafeRawBufferPointer] {
        guard let maps = fopen("/proc/self/maps", "r") else { return [] }
        defer { fclose(maps) }
        var (line, regions): ([CChar], [UnsafeRawBufferPointer]) = ([CChar](repeating: 0, count: 4096), [])
        while fgets(&line, Int32(line.count), maps) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let fields = text.split(separator: " ")
            let ends = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard fields[1].hasPrefix("rw"), ends.count == 2, let start = UnsafeRawPointer(bitPattern: ends[0]) else {
                continue
            }
            regions.append(UnsafeRawBufferPointer(start: start, count: Int(ends[1] - ends[0])))
        }
        return regions
    }

    private static func contains(_ region: UnsafeRawBufferPointer, _ digits: [UInt8]) -> Bool {
        let count = digits.count / 2
        guard var place = region.baseAddress, region.count >= count else { return false }
        let end = place + region.count - count
        while place <= end, let next = memchr(place, Int32(octet(digits, 0)), end - place + 1) {
            place = UnsafeRawPointer(next)
            if (1..<count).allSatisfy({ place.load(fromByteOffset: $0, as: UInt8.self) == octet(digits, $0) }) {
                return true
            }
            place += 1
        }
        return false
    }

    /// The octet of two digits; the whole secret is never in memory as octets.
    private static func octet(_ digits: [UInt8], _ index: Int) -> UInt8 {
        func value(_ digit: UInt8) -> UInt8 { digit < 0x3A ? digit - 0x30 : digit - 0x57 }
        return value(digits[2 * index]) << 4 | value(digits[2 * index + 1])
    }
}
