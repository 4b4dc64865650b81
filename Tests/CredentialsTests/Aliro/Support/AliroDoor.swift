// SPDX-License-Identifier: Apache-2.0

import Contactless
@testable import Credentials
import Crypto
import TestSupport
import Testing
import Timekeeping

/// The result of a tap.
struct Tap {
    var outcome: CardOutcome?
    /// The evidence that the reader has decided about.
    var decided: CardEvidence?
    /// The identity that was proven, also if it was refused.
    var evidence: CardEvidence?
    var effects: [AliroEffect] = []
    var mailbox: [UInt8] = []

    var isOpened: Bool { decided != nil && outcome == .concluded }
    var storesKey: Bool { effects.contains { if case .persistentKey = $0 { true } else { false } } }
    var storesCredential: Bool { effects.contains { if case .credential = $0 { true } else { false } } }
}

/// A door with a reader, its store and a clock.
struct AliroDoor {
    /// 2026-11-28 12:00 UTC, a Saturday.
    static let noon: Int64 = 1_795_867_200

    var reader: AliroReader
    var store: AliroStore
    var moment = Moment(instant: .origin, epochSeconds: AliroDoor.noon)
    var zone = TimeZoneRule.utc
    var random = SplitMix64(seed: 1)

    static let key = octets("bd448b7ded19a52ecd429b1f273fb5b18c9c94ae56dd5e8c4b2e44aecd056a73")
    static let group = octets("a656fb93b8b06b859bda2819d4d3f245")
    static let sub = octets("5616535d0a9760eb3fd20ef0a1bb0e6a")
    static let phone = octets("9293c769ccc75562180455ed7db8ba0699ddcb582d34872d71f442f7a61d43e3")
    static let issuer = octets("ad68f9e900d7969d114262c275339b10dc05bb746ff4bcbb8dc8552fd01c6348")
    static let authority = octets("671c2c67445971daff48ce2ed195fd44338f99a2ef16eca1aabc000b53c9e834")

    init(sub: [UInt8] = AliroDoor.sub) throws {
        let identifier = try #require(AliroReader.Identifier(group: AliroDoor.group, sub: sub))
        reader = AliroReader(key: try P256PrivateKey(AliroDoor.key), identifier: identifier)
        store = AliroStore(binding: reader.binding)
    }

    /// A phone that trusts the reader, and that the store knows if `isKnown`.
    mutating func phone(isKnown: Bool = true, scalar: [UInt8] = AliroDoor.phone) throws -> AliroPhone {
        let phone = try AliroPhone(scalar: scalar, trusting: [UInt8](reader.groupPoint.octets))
        if isKnown { try store.include(AliroCredential(phone.key.publicKey)) }
        return phone
    }

    /// Trusts the issuer of documents, and returns its key.
    mutating func trustIssuer() throws -> P256PrivateKey {
        let issuer = try P256PrivateKey(AliroDoor.issuer)
        try store.include(AliroAnchor(issuer.publicKey))
        return issuer
    }

    /// A whole transaction; its effects are applied to the store.
    mutating func tap(_ phone: inout AliroPhone, _ decision: CardDecision = .opened) throws -> Tap {
        phone.activate()
        var transaction = try AliroTransaction(
            reader: reader, store: store, at: moment, in: zone, random: &random)
        var tap = Tap()
        var step = transaction.start()
        for _ in 0..<200 {
            switch step {
            case .transmit(let command):
                let response = phone.respond(to: command)
                step = transaction.receive(response.span)
            case .decide(let evidence):
                tap.decided = evidence
                step = transaction.conclude(decision)
            case .end(let outcome):
                tap.outcome = outcome
                tap.evidence = transaction.evidence
                tap.effects = transaction.effects
                tap.mailbox = transaction.mailbox
                for effect in tap.effects { store.apply(effect) }
                transaction.wipe()
                #expect(transaction.effects.isEmpty)
                return tap
            }
        }
        return tap
    }
}

extension AliroStore {
    /// Adds a credential.
    ///
    /// - Throws: with an issue if there is no room for it.
    mutating func include(_ credential: AliroCredential) throws {
        let isAdded = add(credential)
        try #require(isAdded)
    }

    /// Adds a trusted point.
    ///
    /// - Throws: with an issue if there is no room for it.
    mutating func include(_ anchor: AliroAnchor) throws {
        let isAdded = add(anchor)
        try #require(isAdded)
    }
}

func sha256(_ octets: [UInt8]) -> [UInt8] { (try? [UInt8](SHA256.hash(octets.span))) ?? [] }
