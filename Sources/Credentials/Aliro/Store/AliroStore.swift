// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The credentials, trusted points, revocations and persistent keys of one reader.
///
/// A persistent key proves a credential without its private key. It is erased with its credential, with the point that
/// granted it, and with each change of the reader's key or identifier.
public struct AliroStore: Sendable {
    /// More than the phones at a door; a bound on the memory and on the file.
    public static let maximumCredentials = 512
    /// Issuers and authorities; an installation has one or two.
    public static let maximumAnchors = 16
    /// Issuers that have certificates, with the anchors.
    public static let maximumLedgers = 64
    /// The fast phase tries them all, each with a key derivation: a bound on its time.
    public static let maximumPersistentKeys = 128

    /// The credentials, oldest first.
    public private(set) var credentials: [AliroCredential] = []
    /// The trusted points.
    public private(set) var anchors: [AliroAnchor] = []
    /// By the issuer's point.
    public private(set) var ledgers: [[UInt8]: AliroLedger] = [:]
    /// The reader that the persistent keys belong to.
    public private(set) var binding: AliroBinding
    /// Newest first. A key is wiped when the last copy of the store that has it ends.
    var persistentKeys: [PersistentKey] = []

    struct PersistentKey: Equatable, Sendable {
        let point: [UInt8]
        let key: SecretOctets
    }

    /// An empty store of a reader.
    public init(binding: AliroBinding) { self.binding = binding }

    /// Binds the store to a reader. Another key, group or identifier erases the persistent keys.
    public mutating func bind(to binding: AliroBinding) {
        guard binding != self.binding else { return }
        self.binding = binding
        wipe()
    }

    /// A copy without persistent keys.
    var withoutPersistentKeys: AliroStore {
        var store = self
        store.persistentKeys = []
        return store
    }

    /// The credential with this point.
    public func credential(_ point: [UInt8]) -> AliroCredential? { credentials.first { $0.point == point } }

    func credential(keySlot: [UInt8]) -> AliroCredential? { credentials.first { $0.keySlot == keySlot } }

    /// True if a new credential has room, or replaces one from a document.
    private var hasRoom: Bool {
        credentials.count < Self.maximumCredentials || credentials.contains(where: \.isEvictable)
    }

    /// Adds or replaces a credential. A full store evicts the oldest credential from a document. Returns false if there
    /// is none.
    public mutating func add(_ credential: AliroCredential) -> Bool {
        if let index = credentials.firstIndex(where: { $0.point == credential.point }) {
            credentials[index] = credential
            return true
        }
        if credentials.count >= Self.maximumCredentials {
            guard let oldest = credentials.first(where: \.isEvictable) else { return false }
            remove(credential: oldest.point)
        }
        credentials.append(credential)
        return true
    }

    /// Removes a credential and its persistent key.
    public mutating func remove(credential point: [UInt8]) {
        credentials.removeAll { $0.point == point }
        erasePersistentKey(of: point)
    }

    /// Makes the administrator's credentials those with these points. A credential that is removed loses its persistent
    /// key; one that has come from a document stays, unless the administrator adds it. Points that do not fit, or that
    /// are not on the curve, are left out; only new ones are verified.
    ///
    /// - Returns: true if the store has changed.
    public mutating func setListed(_ points: [[UInt8]]) -> Bool {
        let listed = Set(points)
        var isChanged = false
        for credential in credentials where credential.grant == nil && !listed.contains(credential.point) {
            remove(credential: credential.point)
            isChanged = true
        }
        let known = Set(credentials.filter { $0.grant == nil }.map(\.point))
        for point in listed.subtracting(known) where hasRoom {
            guard let key = try? P256PublicKey(point: point.span) else { continue }
            isChanged = add(AliroCredential(key)) || isChanged
        }
        return isChanged
    }

    /// Removes the persistent keys of the credentials that `isRevoked` names, and those of them that documents granted.
    ///
    /// - Returns: true if the store has changed.
    public mutating func removeRevoked(_ isRevoked: (AliroCredential) -> Bool) -> Bool {
        var isChanged = false
        for credential in credentials where isRevoked(credential) {
            let hasKey = persistentKeys.contains { $0.point == credential.point }
            if credential.grant != nil {
                remove(credential: credential.point)
            } else if hasKey {
                erasePersistentKey(of: credential.point)
            } else {
                continue
            }
            isChanged = true
        }
        return isChanged
    }

    /// Makes these the trusted points, and removes what others have granted.
    ///
    /// - Returns: true if the store has changed.
    public mutating func setAnchors(_ wanted: [AliroAnchor]) -> Bool {
        var isChanged = false
        for anchor in anchors where !wanted.contains(anchor) {
            remove(anchor: anchor.point)
            isChanged = true
        }
        for anchor in wanted where !anchors.contains(anchor) { isChanged = add(anchor) || isChanged }
        return isChanged
    }

    /// Adds a trusted point. Returns false if the store is full.
    public mutating func add(_ anchor: AliroAnchor) -> Bool {
        guard !anchors.contains(anchor) else { return true }
        guard anchors.count < Self.maximumAnchors else { return false }
        anchors.append(anchor)
        return true
    }

    /// Removes a trusted point, its revocations, the credentials that it granted, and their persistent keys. Should it
    /// be trusted again, phones are asked again for the revocations that they have delivered.
    public mutating func remove(anchor point: [UInt8]) {
        for index in credentials.indices { credentials[index].revocationSeen = nil }
        anchors.removeAll { $0.point == point }
        ledgers = ledgers.filter { $0.value.anchor != point }
        for credential in credentials where credential.grant?.anchor == point { remove(credential: credential.point) }
    }

    /// Removes everything.
    public mutating func erase() {
        credentials = []
        anchors = []
        ledgers = [:]
        wipe()
    }

    /// Erases the persistent keys, which are wiped unless another copy of the store has them.
    public mutating func wipe() { persistentKeys = [] }

    /// True if an issuer has revoked the credential with this point, or if its digest cannot be computed.
    public func revokes(_ point: [UInt8]) -> Bool {
        guard let digest = try? [UInt8](inline: SHA256.hash(point.span)) else { return true }
        return ledgers.values.contains { $0.revokes(digest) }
    }

    /// The number of revoked credentials, over all issuers; nil if an issuer has revoked more than are kept.
    public var revokedCount: Int? {
        ledgers.values.contains(where: \.isOverfull) ? nil : ledgers.values.reduce(0) { $0 + $1.revoked.count }
    }

    /// Applies a change. It is discarded if it does not fit, or if its credential or trusted point is not in the store.
    ///
    /// - Returns: true if the store has changed.
    @discardableResult
    public mutating func apply(_ effect: AliroEffect) -> Bool {
        switch effect {
        case .credential(let credential):
            guard let grant = credential.grant, anchors.contains(where: { $0.point == grant.anchor }) else {
                return false
            }
            // The administrator's entry stays.
            if let stored = self.credential(credential.point), stored.grant == nil { return false }
            return add(credential)
        case .persistentKey(let key, let point, let revocationSeen):
            guard let index = credentials.firstIndex(where: { $0.point == point }) else { return false }
            if let revocationSeen { credentials[index].revocationSeen = revocationSeen }
            erasePersistentKey(of: point)
            persistentKeys.insert(PersistentKey(point: point, key: key), at: 0)
            if persistentKeys.count > Self.maximumPersistentKeys { persistentKeys.removeLast() }
            return true
        case .issuer(let change): return apply(change)
        }
    }

    private mutating func apply(_ change: AliroIssuerChange) -> Bool {
        let former = ledgers[change.issuer]
        guard anchors.contains(where: { $0.point == change.anchor }),
            former != nil || ledgers.count < Self.maximumLedgers
        else { return false }
        var ledger = former ?? AliroLedger(anchor: change.anchor)
        ledger.apply(change)
        guard ledger != former else { return false }
        ledgers[change.issuer] = ledger
        return true
    }

    /// Puts the stored state of an issuer back.
    mutating func put(_ ledger: AliroLedger, issuer: [UInt8]) { ledgers[issuer] = ledger }

    /// The points that have persistent keys, newest key first.
    public var persistentPoints: [[UInt8]] { persistentKeys.map(\.point) }

    /// Calls `body` with the persistent keys, newest first, until it returns a value.
    public func firstPersistentKey<Result>(_ body: (_ point: [UInt8], _ key: [UInt8]) -> Result?) -> Result? {
        for entry in persistentKeys {
            if let result = body(entry.point, entry.key.octets) { return result }
        }
        return nil
    }

    private mutating func erasePersistentKey(of point: [UInt8]) { persistentKeys.removeAll { $0.point == point } }
}
