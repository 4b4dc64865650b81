// SPDX-License-Identifier: Apache-2.0

import Credentials

/// A contactless card of the explored worlds, of each kind and nature.
struct Badge: Hashable, Sendable {
    enum Nature: String, CaseIterable, Sendable {
        /// It is in the reader's list, with the credential of the phones' tokens.
        case listed
        /// It proves its identity, and is not in the list.
        case unlisted
        /// It claims the identity of the listed card, without its key.
        case forged
        /// It is in the list, and its time there is over.
        case ended
        /// An Aliro phone that is not in the list, with the document of a trusted issuer.
        case documented
        /// An Aliro phone that knows another group of readers.
        case foreign
    }

    var kind: CardKind
    var nature: Nature

    /// The explored kinds, each with its model: a further kind is one line.
    static let models: [(kind: CardKind, model: @Sendable (Nature) throws -> any BadgeModel)] = [
        (.pkoc, { try PKOCBadge($0) }), (.desfire, { DESFireBadge($0) }), (.aliro, { try AliroBadge($0) }),
    ]

    /// The tokens of phones that play the card.
    static let tokens: [(nature: Nature, card: Card)] = [(.listed, .open), (.forged, .forged), (.ended, .ended)]

    /// The explored kinds, in the order of their probes.
    static let kinds = models.map(\.kind) + [.phone]

    /// Every nature of every kind.
    static let all = kinds.flatMap { kind in natures(of: kind).map { Badge(kind: kind, nature: $0) } }

    private static func natures(of kind: CardKind) -> [Nature] {
        switch kind {
        case .pkoc, .desfire: [.listed, .unlisted, .forged, .ended]
        case .aliro: Nature.allCases
        case .phone: tokens.map(\.nature)
        }
    }

    /// The badges that open.
    static let opening = all.filter { $0.nature == .listed || $0.nature == .documented }

    /// Every badge with its model; phones have the frames of a wallet.
    static func recorded(_ exchanges: [Card: Wallet.Exchange]) throws -> [Badge: any BadgeModel] {
        var badges: [Badge: any BadgeModel] = [:]
        for (kind, model) in models {
            for badge in all where badge.kind == kind { badges[badge] = try model(badge.nature) }
        }
        for (nature, card) in tokens {
            badges[Badge(kind: .phone, nature: nature)] = PhoneBadge(exchanges[card] ?? .init())
        }
        return badges
    }
}

/// The card's side of a kind: command APDUs in, responses out.
protocol BadgeModel: Sendable {
    /// The identity that it proves, or claims.
    var evidence: CardEvidence { get }
    /// True if it has a key from an earlier presence, which makes its next one another.
    var isKnown: Bool { get }

    /// It enters a field, without a transaction.
    mutating func enter()

    mutating func response(to command: [UInt8]) throws -> [UInt8]
}

extension BadgeModel {
    var isKnown: Bool { false }

    mutating func enter() {}
}

/// The response of a card to the command that awaits one.
enum BadgeResponse: String, CaseIterable, Sendable {
    /// As the protocol has it.
    case right
    /// A field that is cut off, with a status word of success.
    case malformed
    /// Its last response once more, whatever the command.
    case repeated
}
