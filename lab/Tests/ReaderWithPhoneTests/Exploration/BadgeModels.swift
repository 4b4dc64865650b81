// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import TestSupport

@testable import Reader
@testable import ReaderTestSupport

/// A PKOC card (PKOC NFC 1.1).
struct PKOCBadge: BadgeModel {
    private let key: P256PrivateKey
    private let nature: Badge.Nature
    /// The transaction's identifier of the explored worlds, and its signature: made once.
    private let known: (signed: [UInt8], signature: [UInt8])

    init(_ nature: Badge.Nature) throws {
        let scalar = [UInt8](repeating: 0, count: 31) + [nature == .unlisted ? 2 : nature == .ended ? 3 : 1]
        key = try P256PrivateKey(scalar: scalar.span)
        self.nature = nature
        var random = CountingRandom()
        let signed = random.octets(16)
        known = (signed, try PKOCBadge.signature(of: signed, key, nature))
    }

    var evidence: CardEvidence { CardEvidence(kind: .pkoc, identity: [UInt8](key.publicKey.point.octets)) }

    func response(to command: [UInt8]) throws -> [UInt8] {
        if command[1] == 0xA4 {
            return command.contains(octets("a000000898000001")) ? octets("5c0201009000") : octets("6a82")
        }
        guard command[0] == 0x80 else { return octets("6e00") }
        // 80 80 00 01 38, 5C 02 and the version, 4C 10 and the transaction's identifier.
        let signed = Array(command[11..<27])
        let signature = signed == known.signed ? known.signature : try PKOCBadge.signature(of: signed, key, nature)
        return [0x5A, 0x41] + evidence.identity + [0x9E, 0x40] + signature + [0x90, 0x00]
    }

    /// The fields of its credential over Bluetooth LE, for the reader's first message.
    func credential(_ hello: [UInt8]) throws -> [UInt8] {
        let signature = try PKOCBadge.signature(of: Array(hello[9..<42]), key, nature)
        return [0x01, 0x41] + evidence.identity + [0x03, 0x40] + signature
    }

    private static func signature(
        of message: [UInt8], _ key: P256PrivateKey, _ nature: Badge.Nature
    ) throws -> [UInt8] {
        let signed = nature == .forged ? message.map { $0 ^ 0xFF } : message
        return try key.rawSignature(signed.span)
    }
}

/// A DESFire card (EV2).
struct DESFireBadge: BadgeModel {
    private static let contents = DESFireContents(
        number: octets("1032547698badcfe"), key: [UInt8](0x40..<0x50), uid: octets("04782e21801d80"))

    /// The place of the number, and the key.
    static let credential = DESFireCredential.Key(number: 0, octets: contents.key).flatMap {
        DESFireCredential(
            application: contents.application, file: 1, count: contents.number.count, communication: .full, key: $0)
    }

    let evidence: CardEvidence
    private var card: DESFireCard
    private var random = CountingRandom()

    init(_ nature: Badge.Nature) {
        var contents = DESFireBadge.contents
        if nature == .unlisted { contents.number[0] ^= 1 }
        if nature == .ended { contents.number[0] ^= 2 }
        if nature == .forged { contents.key[0] ^= 1 }
        evidence = CardEvidence(kind: .desfire, identity: contents.number)
        card = DESFireCard(contents, activation: CardActivation(random: (1, 2, 3)))
    }

    mutating func enter() { card.activate() }

    mutating func response(to command: [UInt8]) throws -> [UInt8] { card.respond(to: command, random: &random) ?? [] }
}

/// An Aliro phone, whose second presence after an opening is the fast phase. One that is not listed opens by the
/// step-up phase, if it has a document.
struct AliroBadge: BadgeModel {
    private var phone: AliroPhone
    private let nature: Badge.Nature

    init(_ nature: Badge.Nature) throws {
        let last: UInt8 =
            switch nature {
            case .listed, .forged, .foreign: 3
            case .unlisted: 4
            case .documented: 5
            case .ended: 6
            }
        let scalar = [UInt8](repeating: 0, count: 31) + [last]
        phone = try AliroPhone(
            scalar: scalar, trusting: [UInt8](AliroBadge.door().reader.key.publicKey.point.octets))
        self.nature = nature
        guard nature == .documented else { return }
        var maker = try AliroDocumentMaker(AliroBadge.issuer(), for: phone.point)
        maker.value = .map([(0, 1), (2, .array([.map([(0, 2)])]))])
        phone.documents = ["aliro-a": try maker.document]
        phone.signals = 1
        phone.signatureTimes[0x91] = Array(maker.signed.utf8)
    }

    /// The key of the issuer whose documents the reader trusts.
    static func issuer() throws -> P256PrivateKey {
        try P256PrivateKey([UInt8](repeating: 0, count: 31) + [8])
    }

    /// A door with an Aliro reader that knows no phone.
    static func door() throws -> AliroDoor {
        let part = [UInt8](repeating: 0x11, count: AliroReader.Identifier.partCount)
        guard let identifier = AliroReader.Identifier(group: part, sub: part) else { throw CryptoError.invalidLength }
        let scalar = [UInt8](repeating: 0, count: 31) + [7]
        var reader = AliroReader(key: try P256PrivateKey(scalar), identifier: identifier)
        reader.actions = AliroDoor.actions
        var store = AliroStore(binding: reader.binding)
        _ = store.setAnchors([AliroAnchor(try issuer().publicKey)])
        return AliroDoor(reader: reader, store: store)
    }

    var evidence: CardEvidence { CardEvidence(kind: .aliro, identity: phone.point) }

    var isKnown: Bool { phone.hasFastKey }

    mutating func enter() { phone.activate() }

    mutating func response(to command: [UInt8]) throws -> [UInt8] {
        guard command[0] != 0x90, command[1] != 0xA4 || command.contains(octets("a000000909acce5501")) else {
            return octets("6a82")
        }
        // AUTH0: no key for this group of readers.
        if nature == .foreign, command[1] == 0x80 { return octets("6a88") }
        guard nature == .forged, command[1] == 0x81 else { return phone.respond(to: command) }
        var random = SystemRandomSource()
        // The signature in AUTH1: 5A 41 and the point, 9E 40 and the signature.
        return phone.respond(to: command, random: &random) { $0.prefix(100) + [$0[100] ^ 1] + $0.dropFirst(101) } ?? []
    }
}

/// A phone that plays the card, with the recorded frames of a token.
struct PhoneBadge: BadgeModel {
    private static let partCount = 240

    private let messages: [[UInt8]]
    private var sent = 0
    /// The rest of the message that the reader fetches.
    private var rest: ArraySlice<UInt8> = []

    init(_ exchange: Wallet.Exchange) { messages = [exchange.handshake, exchange.request].map { Array($0.joined()) } }

    /// A token is no identity of a card.
    var evidence: CardEvidence { CardEvidence(kind: .phone, identity: []) }

    mutating func enter() { (sent, rest) = (0, []) }

    mutating func response(to command: [UInt8]) throws -> [UInt8] {
        switch (command[0], command[1]) {
        case (0x00, 0xA4):
            return command.contains(octets("f0726561646572640100")) ? octets("8001019000") : octets("6a82")
        case (0x80, PhoneCardExchange.begin), (0x80, PhoneCardExchange.deliver):
            rest = sent < messages.count ? messages[sent][...] : []
            sent += 1
        case (0x00, 0xC0): break
        case (0x90, PhoneCardExchange.deliver): return octets("9000")
        default: return octets("6a82")
        }
        let part = rest.prefix(PhoneBadge.partCount)
        rest = rest.dropFirst(PhoneBadge.partCount)
        return part + (rest.isEmpty ? [0x90, 0x00] : [0x61, UInt8(min(rest.count, PhoneBadge.partCount))])
    }
}
