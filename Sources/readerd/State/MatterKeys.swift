// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import LockChannel
import Octets
import Reader

/// The Aliro keys that Matter has provisioned, by ascending place. Points are on the curve; places and points are
/// unique.
struct MatterKeys: Equatable {
    private(set) var keys: [LockAliroKey] = []

    /// No keys.
    init() {}

    /// These keys; nil for a point off the curve, or for a place or point that is there twice.
    init?(_ keys: [LockAliroKey]) {
        let points = Set(keys.map(\.point))
        guard points.count == keys.count, Set(keys.map(\.place)).count == keys.count,
            points.allSatisfy({ (try? P256PublicKey(point: $0.span)) != nil })
        else { return nil }
        self.keys = keys.sorted { ($0.place.kind.number, $0.place.index) < ($1.place.kind.number, $1.place.index) }
    }

    /// The key with this point; nil if there is none.
    subscript(_ point: [UInt8]) -> LockAliroKey? { keys.first { $0.point == point } }

    /// The keys of issuers, for the store.
    var anchors: [AliroAnchor] {
        keys.filter { $0.place.kind == .issuer }
            .compactMap { try? AliroAnchor(P256PublicKey(point: $0.point.span)) }
    }

    /// The points of phones that documents have let in.
    var granted: Set<[UInt8]> { Set(keys.filter(\.isGranted).map(\.point)) }

    /// The phones that open without a document, for the list of cards.
    var cards: [ListedCard] {
        keys.filter { $0.place.kind != .issuer && !$0.isGranted }.compactMap { key in
            OSSCredentialID(unlisted: key.point).map {
                ListedCard(CardEvidence(kind: .aliro, identity: key.point), $0, origin: key.origin)
            }
        }
    }

    /// The sources of issuers, by their points.
    var issuers: [[UInt8]: String] {
        Dictionary(
            keys.filter { $0.place.kind == .issuer }.map { ($0.point, $0.origin) }, uniquingKeysWith: { $1 })
    }

    /// The keys that are in `other`, and not here.
    func missing(of other: MatterKeys) -> [LockAliroKey] { other.keys.filter { !keys.contains($0) } }

    /// These keys without those that `other` lacks.
    func restricted(to other: MatterKeys) -> MatterKeys {
        var kept = self
        kept.keys.removeAll { !other.keys.contains($0) }
        return kept
    }
}

extension LockAliroKey {
    /// The source and the user for the log, as in `matter user 3 endpoint 1`: at most 32 octets with the indices of a
    /// lock.
    var origin: String { "matter user \(user) \(place.kind.rawValue) \(place.index)" }

    /// The key for a record of its change.
    var detail: String {
        let label = CardEvidence(kind: .aliro, identity: point).label
        return "\(place.kind.rawValue) \(place.index) user \(user) \(label)\(isGranted ? " by document" : "")"
    }
}

// MARK: - The file

/// The keys in octets, for a file: a version, their number, the keys, and the SHA-256 of it all.
extension MatterKeys {
    /// `ALIMKEY`, and the version of the format.
    private static let head: [UInt8] = Array("ALIMKEY".utf8) + [1]
    /// The length of a key: kind, index, user, grant, point.
    private static let keyCount = 6 + P256Point.count
    /// The maximum length of the file.
    static let maximumCount = head.count + 2 + LockChannelLimits.aliroKeyCount * keyCount + 32

    /// The octets of the file.
    func octets() throws(CryptoError) -> [UInt8] {
        var octets = MatterKeys.head
        octets.append(bigEndian: UInt16(truncatingIfNeeded: keys.count))
        for key in keys {
            octets.append(key.place.kind.number)
            octets.append(bigEndian: key.place.index)
            octets.append(bigEndian: key.user)
            octets.append(key.isGranted ? 1 : 0)
            octets += key.point
        }
        octets.append(try SHA256.hash(octets.span).span)
        return octets
    }

    /// Parses a file; nil if it is damaged.
    init?(file octets: [UInt8]) {
        guard octets.count >= MatterKeys.head.count + 2 + 32, octets.count <= MatterKeys.maximumCount else {
            return nil
        }
        let end = octets.count - 32
        guard let digest = try? SHA256.hash(octets.span.extracting(0..<end)),
            constantTimeEqual(digest.span, octets.span.extracting(end..<octets.count)),
            octets.starts(with: MatterKeys.head),
            let keys = try? MatterKeys.parse(octets, in: MatterKeys.head.count..<end)
        else { return nil }
        self.init(keys)
    }

    private static func parse(_ file: [UInt8], in range: Range<Int>) throws -> [LockAliroKey]? {
        let octets = file.span
        var cursor = OctetCursor(octets, in: range)
        var keys: [LockAliroKey] = []
        for _ in 0..<(try cursor.u16BigEndian(octets)) {
            let number = try cursor.u8(octets)
            guard let kind = LockAliroKeyKind.allCases.first(where: { $0.number == number }) else { return nil }
            let place = LockAliroPlace(kind, try cursor.u16BigEndian(octets))
            let user = try cursor.u16BigEndian(octets)
            let grant = try cursor.u8(octets)
            guard grant <= 1 else { return nil }
            let point = Array(file[try cursor.consume(P256Point.count, of: octets)])
            keys.append(LockAliroKey(place: place, user: user, point: point, isGranted: grant == 1))
        }
        try cursor.finish()
        return keys
    }
}

extension LockAliroKeyKind {
    /// The credential type (Matter Application Clusters 5.2.6).
    fileprivate var number: UInt8 {
        switch self {
        case .issuer: 6
        case .evictable: 7
        case .endpoint: 8
        }
    }
}
