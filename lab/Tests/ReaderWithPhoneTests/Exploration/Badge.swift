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
    }

    var kind: CardKind
    var nature: Nature

    /// The explored kinds, each with its model: a further kind is one line.
    static let models: [(kind: CardKind, model: @Sendable (Nature) throws -> any BadgeModel)] = [
        (.pkoc, { try PKOCBadge($0) }), (.desfire, { DESFireBadge($0) }), (.aliro, { try AliroBadge($0) }),
    ]

    /// The explored kinds, in the order of their probes.
    static let kinds = models.map(\.kind)

    /// Every nature of every kind.
    static let all = kinds.flatMap { kind in Nature.allCases.map { Badge(kind: kind, nature: $0) } }

    static let listed = all.filter { $0.nature == .listed }

    /// Every badge with its model.
    static func recorded() throws -> [Badge: any BadgeModel] {
        var badges: [Badge: any BadgeModel] = [:]
        for (kind, model) in models {
            for nature in Nature.allCases { badges[Badge(kind: kind, nature: nature)] = try model(nature) }
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
