// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import TestSupport
import Testing

/// PKOC over Bluetooth LE, version 3, octet for octet: both flows with computed keys, and messages that are refused.
@Suite struct PKOCLinkTransactionTests {
    private static func key(_ scalar: UInt16) throws -> P256PrivateKey {
        let octets = [UInt8](repeating: 0, count: 30) + [UInt8(scalar >> 8), UInt8(scalar & 0xFF)]
        return try P256PrivateKey(scalar: octets.span)
    }

    private static func transaction(hasSite: Bool = true) throws -> PKOCLinkTransaction {
        let reader = try #require(
            PKOCReaderID([UInt8](repeating: 0x11, count: 16) + [UInt8](repeating: 0x22, count: 16)))
        return try PKOCLinkTransaction(reader: reader, site: hasSite ? key(0x3333) : nil, ephemeral: key(0x1111))
    }

    /// The vector of this name: computed by another implementation.
    private static func vector(_ name: String) -> [UInt8] { (try? VectorFile("pkoc"))?.octets("ble/\(name)") ?? [] }

    private static let hello = vector("reader-hello")
    private static let normal = vector("normal/device-answer")
    private static let ephemeral = vector("ecdhe/device-identifier")
    private static let readerSignature = vector("ecdhe/reader-signature")
    private static let signedMessage = vector("ecdhe/signed-message")
    private static let sealed = vector("ecdhe/device-credential")
    private static let plain = vector("ecdhe/plain")
    private static let aesKey = vector("ecdhe/aes-key")
    /// As apps of before profile 2.0.1 write it: the length has one octet.
    private static let earlierSealed = [sealed[0]] + sealed[2...]
    private static let credential = Array(normal[2..<67])
    private static let evidence = LinkStep.decide(CardEvidence(kind: .pkoc, identity: credential))
    private static let granted = octets("040103")

    /// Passes a message: the step.
    private static func step(_ transaction: inout PKOCLinkTransaction, _ message: [UInt8]) -> LinkStep {
        transaction.receive(message.span)
    }

    private static func greeted(hasSite: Bool = true) throws -> PKOCLinkTransaction {
        var transaction = try transaction(hasSite: hasSite)
        #expect(transaction.start() == .send(hello))
        return transaction
    }

    private static func keyed() throws -> PKOCLinkTransaction {
        var transaction = try greeted()
        guard case .send(let signature) = transaction.receive(ephemeral.span) else {
            Issue.record("no signature of the site")
            return transaction
        }
        #expect(signature.count == 66 && Array(signature[..<2]) == [0x03, 0x40])
        let site = try key(0x3333).publicKey
        let proof = Array(signature[2...])
        let isValid = site.isValid(rawSignature: proof.span, for: signedMessage.span)
        #expect(isValid)
        return transaction
    }

    @Test func normalFlow() throws {
        var transaction = try Self.greeted()
        #expect(Self.step(&transaction, Self.normal) == Self.evidence)
        #expect(transaction.conclude(.opened) == .end(.concluded, last: Self.granted))
    }

    @Test(arguments: [sealed, earlierSealed]) func flowWithECDHE(_ sealed: [UInt8]) throws {
        var transaction = try Self.keyed()
        #expect(Self.step(&transaction, sealed) == Self.evidence)
        #expect(transaction.conclude(.opened) == .end(.concluded, last: Self.granted))
    }

    /// The other side's signature by the site's key verifies over the same octets.
    @Test func signatureOfTheSiteIsOverBothKeys() throws {
        let site = try Self.key(0x3333).publicKey
        let proof = Array(Self.readerSignature[2...])
        let isValid = site.isValid(rawSignature: proof.span, for: Self.signedMessage.span)
        #expect(isValid)
    }

    @Test func encryptedFieldsAreReproduced() throws {
        var sealed: [UInt8] = []
        try AES256CCM.seal(
            Self.plain.span, key: Self.aesKey.span, nonce: Self.vector("ecdhe/nonce").span,
            authenticating: [UInt8]().span, into: &sealed)
        #expect([0x40, 0x81, UInt8(sealed.count)] + sealed == Self.sealed)
    }

    @Test func refusalIsTold() throws {
        var transaction = try Self.greeted()
        _ = transaction.receive(Self.normal.span)
        #expect(transaction.conclude(.refused) == .end(.concluded, last: octets("040102")))
    }

    // MARK: Refusals

    private struct Row: CustomTestStringConvertible {
        let name: String
        let message: [UInt8]
        let refusal: CardRefusal
        var response: UInt8 = 0x05
        var testDescription: String { name }
    }

    private static func field(_ tag: UInt8, _ value: some Sequence<UInt8>) -> [UInt8] {
        let value = Array(value)
        return [tag, UInt8(value.count)] + value
    }

    private static let keyField = Array(normal[0..<67])
    private static let signatureField = Array(normal[67..<133])
    private static let compressed = field(0x01, [2] + credential[1..<33])
    private static func changed(_ octets: [UInt8], at index: Int) -> [UInt8] {
        var octets = octets
        octets[index] ^= 1
        return octets
    }

    private static let firstRows = [
        Row(name: "nothing", message: [], refusal: .malformed),
        Row(name: "key only", message: keyField, refusal: .malformed),
        Row(name: "signature only", message: signatureField, refusal: .malformed),
        Row(name: "cut", message: Array(normal.dropLast()), refusal: .malformed),
        Row(name: "a half before the other", message: Array(normal[..<20]), refusal: .malformed),
        Row(name: "too long", message: normal + [UInt8](repeating: 0, count: 20), refusal: .tooLong),
        Row(name: "unknown field", message: normal + octets("800100"), refusal: .malformed),
        Row(name: "the reader's field", message: normal + field(0x04, [3]), refusal: .malformed),
        Row(name: "an octet more", message: normal + [0x09], refusal: .malformed),
        Row(name: "two signatures", message: keyField + signatureField + signatureField, refusal: .tooLong),
        Row(
            name: "time twice", message: keyField + signatureField + field(9, [0, 0, 0, 0]) + field(9, [0, 0, 0, 0]),
            refusal: .malformed),
        Row(name: "short time", message: keyField + signatureField + field(9, [0, 0, 0]), refusal: .malformed),
        Row(name: "version 4", message: keyField + signatureField + field(0x0C, [4, 0, 0, 0, 1]), refusal: .version),
        Row(name: "short version", message: keyField + signatureField + field(0x0C, [3]), refusal: .malformed),
        Row(name: "compressed key", message: compressed + signatureField, refusal: .key),
        Row(
            name: "hybrid key",
            message: changed(keyField, at: 2).enumerated().map { $0 == 2 ? 6 : $1 } + signatureField,
            refusal: .key),
        Row(name: "key off the curve", message: changed(normal, at: 66), refusal: .key),
        Row(name: "changed signature", message: changed(normal, at: 132), refusal: .proof, response: 0x06),
        Row(
            name: "zero signature", message: keyField + field(0x03, [UInt8](repeating: 0, count: 64)),
            refusal: .proof, response: 0x06),
        Row(
            name: "short signature", message: keyField + field(0x03, [UInt8](repeating: 1, count: 63)),
            refusal: .proof, response: 0x06),
        Row(name: "encrypted at once", message: sealed, refusal: .malformed),
        Row(name: "both flows", message: keyField + Array(ephemeral[..<67]), refusal: .malformed),
        Row(name: "ephemeral key off the curve", message: changed(ephemeral, at: 66), refusal: .key),
        Row(name: "ephemeral key at infinity", message: field(0x07, [0]), refusal: .key),
        Row(name: "without CCM", message: Array(ephemeral[..<67]) + field(0x0C, [3, 0, 0, 0, 2]), refusal: .version),
    ]

    @Test(arguments: firstRows) private func firstMessageIsRefused(_ row: Row) throws {
        var transaction = try Self.greeted()
        let step = transaction.receive(row.message.span)
        #expect(step == .end(.refused(row.refusal), last: [0x04, 0x01, row.response]))
        Self.expectOver(&transaction)
    }

    private static let secondRows = [
        Row(name: "credential in clear", message: normal, refusal: .malformed),
        Row(name: "ephemeral key again", message: ephemeral, refusal: .malformed),
        Row(name: "changed", message: changed(sealed, at: 3), refusal: .proof, response: 0x07),
        Row(name: "changed tag", message: changed(sealed, at: sealed.count - 1), refusal: .proof, response: 0x07),
        Row(name: "cut", message: Array(sealed.dropLast()), refusal: .malformed),
        Row(name: "no more than a tag", message: field(0x40, sealed.suffix(16)), refusal: .malformed),
        Row(name: "length of three octets", message: [0x40, 0x82, 0] + sealed.dropFirst(2), refusal: .tooLong),
        Row(name: "no length", message: [0x40, 0x81], refusal: .malformed),
        Row(name: "longer than it needs", message: [0x40, 0x81, 0x7F] + sealed[3..<130], refusal: .malformed),
        Row(name: "an octet more", message: sealed + [0], refusal: .tooLong),
        Row(name: "an octet more, earlier", message: earlierSealed + [0], refusal: .malformed),
    ]

    @Test(arguments: secondRows) private func secondMessageIsRefused(_ row: Row) throws {
        var transaction = try Self.keyed()
        let step = transaction.receive(row.message.span)
        #expect(step == .end(.refused(row.refusal), last: [0x04, 0x01, row.response]))
        Self.expectOver(&transaction)
    }

    private static func sealing(_ plain: [UInt8], counter: UInt8 = 1) throws -> [UInt8] {
        var sealed: [UInt8] = []
        let nonce: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, counter]
        try AES256CCM.seal(
            plain.span, key: aesKey.span, nonce: nonce.span, authenticating: [UInt8]().span, into: &sealed)
        return field(0x40, sealed)
    }

    /// A signature of the normal flow is not one of the other: a relay cannot carry it over.
    @Test func signatureOfTheNormalFlowIsNoneWithECDHE() throws {
        var transaction = try Self.keyed()
        let step = Self.step(&transaction, try Self.sealing(Self.normal))
        #expect(step == .end(.refused(.proof), last: octets("040106")))
    }

    @Test func encryptedFieldsAreNotNested() throws {
        var transaction = try Self.keyed()
        let step = Self.step(&transaction, try Self.sealing(Self.field(0x40, Self.plain.prefix(30))))
        #expect(step == .end(.refused(.malformed), last: octets("040105")))
    }

    @Test(arguments: [0, 2] as [UInt8]) func otherCounterIsRefused(_ counter: UInt8) throws {
        var transaction = try Self.keyed()
        let step = Self.step(&transaction, try Self.sealing(Self.plain, counter: counter))
        #expect(step == .end(.refused(.proof), last: octets("040107")))
    }

    @Test func withoutTheSitesKeyECDHEIsRefused() throws {
        var transaction = try Self.greeted(hasSite: false)
        #expect(Self.step(&transaction, Self.ephemeral) == .end(.refused(.unavailable), last: octets("040102")))
        var other = try Self.greeted(hasSite: false)
        #expect(Self.step(&other, Self.normal) == Self.evidence)
    }

    /// A recorded credential is signed for another ephemeral key.
    @Test func replayedCredentialIsRefused() throws {
        let site = try Self.key(0x3333)
        var transaction = try PKOCLinkTransaction(reader: .none, site: site)
        guard case .send(let hello) = transaction.start() else { return #expect(Bool(false), "no first message") }
        #expect(hello.count == Self.hello.count && hello != Self.hello)
        #expect(Self.step(&transaction, Self.normal) == .end(.refused(.proof), last: octets("040106")))
    }

    // MARK: Order

    @Test func messageBeforeTheFirstOneIsRefused() throws {
        var transaction = try Self.transaction()
        #expect(Self.step(&transaction, Self.normal) == .end(.refused(.outOfOrder), last: octets("040105")))
        Self.expectOver(&transaction)
    }

    @Test func secondMessageInTheDecisionEnds() throws {
        var transaction = try Self.greeted()
        _ = transaction.receive(Self.normal.span)
        #expect(Self.step(&transaction, Self.normal) == .end(.refused(.outOfOrder), last: octets("040105")))
        Self.expectOver(&transaction)
    }

    @Test func wipedTransactionIsOver() throws {
        var transaction = try Self.keyed()
        transaction.wipe()
        Self.expectOver(&transaction)
    }

    private static func expectOver(_ transaction: inout PKOCLinkTransaction) {
        let over = LinkStep.end(.refused(.outOfOrder), last: octets("040105"))
        #expect(transaction.start() == over && transaction.conclude(.opened) == over)
        #expect(step(&transaction, normal) == over && step(&transaction, sealed) == over)
    }
}
