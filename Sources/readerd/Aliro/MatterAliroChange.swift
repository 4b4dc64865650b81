// SPDX-License-Identifier: Apache-2.0

import Credentials
import Crypto
import LockChannel
import Reader

/// A change of the reader's Aliro by Matter: the records before it, and what it makes.
struct MatterAliroChange {
    /// The result in memory.
    enum Result {
        /// This reader, without a persistent key.
        case reader(AliroReader, configuration: LockAliroReader)
        case noReader
        case keys(MatterKeys)
    }

    /// A record before the change.
    struct Entry: Hashable {
        let kind: AuditKind
        let detail: String
    }

    /// The records, in order; none for a change without an effect.
    let entries: [Entry]
    let result: Result
    /// True if it only ends access.
    let isRestriction: Bool

    /// A configuration; nil unless the point belongs to the scalar.
    init?(_ configuration: LockAliroReader, reader: (P256PrivateKey, AliroReader.Identifier) -> AliroReader) {
        let (scalar, verification) = (configuration.signingKey.octets, configuration.verificationKey)
        guard let key = try? P256PrivateKey(scalar: scalar.span),
            let point = try? P256Point(verification.span), key.publicPoint == point,
            let identifier = AliroReader.Identifier(group: configuration.group, sub: configuration.sub)
        else { return nil }
        let label = CardEvidence(kind: .aliro, identity: configuration.verificationKey).label
        entries = [Entry(kind: .matterAliroConfigured, detail: label)]
        result = .reader(reader(key, identifier), configuration: configuration)
        isRestriction = false
    }

    /// The end of the configuration.
    ///
    /// - Parameters:
    ///   - point: of the present one's key; nil if it cannot be read.
    ///   - isThere: false if there is no configuration to end.
    init(ending point: P256Point?, isThere: Bool) {
        let label = point.map { point in
            CardEvidence(kind: .aliro, identity: point.octets.indices.map { point.octets[$0] }).label
        }
        entries = isThere ? [Entry(kind: .matterAliroCleared, detail: label ?? "unreadable")] : []
        (result, isRestriction) = (.noReader, true)
    }

    /// Other keys.
    init(_ keys: MatterKeys, replacing former: MatterKeys) {
        let (removed, added) = (keys.missing(of: former), former.missing(of: keys))
        entries =
            removed.map { Entry(kind: .matterKeyRemoved, detail: $0.detail) }
            + added.map { Entry(kind: .matterKeyAdded, detail: $0.detail) }
        (result, isRestriction) = (.keys(keys), added.isEmpty)
    }
}
