// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import TestSupport

@testable import ReaderTestSupport

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
    static let models: [CardKind: @Sendable (Nature) throws -> any BadgeModel] = [
        .pkoc: { try PKOCBadge($0) }
    ]

    /// The explored kinds, in the order of their probes.
    static let kinds = models.keys.sorted { $0.rawValue < $1.rawValue }

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

    mutating func response(to command: [UInt8]) throws -> [UInt8]
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

/// A PKOC card (PKOC NFC 1.1).
private struct PKOCBadge: BadgeModel {
    private let key: P256PrivateKey
    private let nature: Badge.Nature
    /// The transaction's identifier of the explored worlds, and its signature: made once.
    private let known: (signed: [UInt8], signature: [UInt8])

    init(_ nature: Badge.Nature) throws {
        let scalar = [UInt8](repeating: 0, count: 31) + [nature == .unlisted ? 2 : 1]
        key = try P256PrivateKey(scalar: scalar.span)
        self.nature = nature
        var random = CountingRandom()
        let signed = random.octets(16)
        known = (signed, try PKOCBadge.signature(of: signed, key, nature))
    }

    var evidence: CardEvidence { CardEvidence(kind: .pkoc, identity: [UInt8](key.publicKey.point.octets)) }

    func response(to command: [UInt8]) throws -> [UInt8] {
        guard command[1] == 0x80 else { return octets("5c0201009000") }
        // 80 80 00 01 38, 5C 02 and the version, 4C 10 and the transaction's identifier.
        let signed = Array(command[11..<27])
        let signature = signed == known.signed ? known.signature : try PKOCBadge.signature(of: signed, key, nature)
        return [0x5A, 0x41] + evidence.identity + [0x9E, 0x40] + signature + [0x90, 0x00]
    }

    private static func signature(
        of message: [UInt8], _ key: P256PrivateKey, _ nature: Badge.Nature
    ) throws -> [UInt8] {
        let signed = nature == .forged ? message.map { $0 ^ 0xFF } : message
        return try key.rawSignature(signed.span)
    }
}
