// SPDX-License-Identifier: Apache-2.0

import Contactless
import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

@testable import Reader
@testable import ReaderTestSupport

/// A door with an Aliro reader, on virtual time.
struct AliroBench: ~Copyable {
    static let group = octets("a656fb93b8b06b859bda2819d4d3f245")
    static let door = octets("5616535d0a9760eb3fd20ef0a1bb0e6a")
    static let scalar = octets("9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3")
    static let issuerScalar = octets("ad68f9e900d7969d114262c275339b10dc05bb746ff4bcbb8dc8552fd01c6348")

    var bench: CardBench
    let identity: AliroReader
    let issuer: P256PrivateKey

    /// A reader that trusts the issuer of documents, and these listed phones.
    init(
        _ cards: [ListedCard] = [], anchors: [AliroAnchor]? = nil, key: UInt8 = 7,
        _ change: (inout AccessConfiguration) -> Void = { _ in }
    ) throws {
        let issuer = try P256PrivateKey(scalar: AliroBench.issuerScalar.span)
        let identifier = try #require(AliroReader.Identifier(group: AliroBench.group, sub: AliroBench.door))
        var reader = AliroReader(key: try AliroBench.key(key), identifier: identifier)
        reader.actions = AliroDoor.actions
        var store = AliroStore(binding: reader.binding)
        _ = store.setAnchors(anchors ?? [AliroAnchor(issuer.publicKey)])
        var bench = try CardBench(cards) {
            $0.cards.kinds = [.aliro]
            change(&$0)
        }
        bench.reader.aliro = AliroDoor(reader: reader, store: store)
        _ = bench.takeEffects()
        self.bench = bench
        identity = reader
        self.issuer = issuer
    }

    /// A key of a reader.
    static func key(_ last: UInt8) throws -> P256PrivateKey {
        let scalar = [UInt8](repeating: 0, count: 31) + [last]
        return try P256PrivateKey(scalar: scalar.span)
    }

    /// A phone that trusts the reader with this key.
    static func phone(of reader: UInt8 = 7) throws -> AliroPhone {
        try AliroPhone(scalar: AliroBench.scalar, trusting: [UInt8](key(reader).publicPoint.octets))
    }

    /// The entry of a phone.
    static func listed(_ phone: AliroPhone, _ id: String = "PHONE00001") -> ListedCard {
        ListedCard(CardEvidence(kind: .aliro, identity: phone.point), credentialID(id))
    }

    /// The phone enters, and answers until the reader transmits no more: the last action, nil if the reader waits.
    mutating func touch(_ phone: inout AliroPhone) throws -> CardAction? {
        phone.activate()
        bench.reader.cardEntered(random: &bench.random, at: bench.moment)
        return try goOn(&phone)
    }

    /// The phone answers until the reader transmits no more.
    mutating func goOn(_ phone: inout AliroPhone) throws -> CardAction? {
        var action = bench.reader.nextCardAction()
        while case .transmit(let command) = action {
            let response = phone.respond(to: command)
            bench.reader.receive(cardResponse: response.span, random: &bench.random, at: bench.moment)
            action = bench.reader.nextCardAction()
        }
        return action
    }

    mutating func leave() { bench.leave() }

    mutating func takeEffects() -> [ReaderEffect] { bench.takeEffects() }

    /// The credential's document, which the phone has from now on.
    func issue(to phone: inout AliroPhone, _ change: (inout AliroDocumentMaker) -> Void = { _ in }) throws {
        var maker = try AliroDocumentMaker(issuer, for: phone.point)
        change(&maker)
        phone.documents = ["aliro-a": try maker.document]
        phone.signals = 1
        phone.signatureTimes[0x91] = Array(maker.signed.utf8)
    }

    var store: AliroStore? { bench.reader.aliro?.store }
}

extension [ReaderEffect] {
    var keepsAliro: Bool { contains(.aliroStore) }
    var outcomes: [CredentialDecision.Outcome] { decisions.map(\.outcome) }
}
