// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
import Crypto

/// The Aliro reader of this door: its identity, and the store of what it knows of phones.
public struct AliroDoor: Sendable {
    /// The actions of a door that opens for a time.
    public static let actions: AliroActions = [.unsecure, .momentaryUnsecure]

    /// The reader.
    public let reader: AliroReader
    /// Its advertising data over Bluetooth LE; nil without the group's resolving key.
    public var advertisement: AliroAdvertisement?
    /// The store, bound to the reader.
    public private(set) var store: AliroStore
    /// The changes of the blacklist that the store has followed.
    var followedChanges = -1

    /// A door with this reader. The store is bound to it, which erases the persistent keys of another reader.
    public init(reader: AliroReader, store: AliroStore) {
        self.reader = reader
        self.store = store
        self.store.bind(to: reader.binding)
    }

    /// True if `trust` would change nothing.
    public func trusts(_ anchors: [AliroAnchor], keeping granted: Set<[UInt8]>) -> Bool {
        store.anchors.count == anchors.count && anchors.allSatisfy { store.anchors.contains($0) }
            && store.credentials.allSatisfy { $0.grant == nil || granted.contains($0.point) }
    }

    /// Makes these the trusted points, and removes the credentials that others have granted.
    ///
    /// - Parameter granted: the points whose grants stay; nil for all.
    /// - Returns: true if the store has changed.
    public mutating func trust(_ anchors: [AliroAnchor], keeping granted: Set<[UInt8]>?) -> Bool {
        var isChanged = store.setAnchors(anchors)
        guard let granted else { return isChanged }
        for credential in store.credentials where credential.grant != nil && !granted.contains(credential.point) {
            store.remove(credential: credential.point)
            isChanged = true
        }
        return isChanged
    }

    /// Applies the changes that a transaction requests.
    ///
    /// - Returns: true if the store has changed.
    mutating func apply(_ effects: [AliroEffect]) -> Bool {
        effects.reduce(false) { store.apply($1) || $0 }
    }

    /// Follows the list of cards and the blacklist: a credential that is removed or revoked loses its persistent key,
    /// and what its document granted. Without a readable list nothing is removed, as nothing opens.
    ///
    /// - Returns: true if the store has changed.
    mutating func follow(_ cards: CardList?, _ blacklist: Blacklist) -> Bool {
        var isChanged = false
        if let cards { isChanged = store.setListed(cards.identities(of: .aliro)) }
        let revoked = store.removeRevoked { credential in
            let card = cards?[CardEvidence(kind: .aliro, identity: credential.point)]
            let id = card?.credentialID ?? OSSCredentialID(unlisted: credential.point)
            return id.map { blacklist.contains($0, at: nil) } ?? true
        }
        return isChanged || revoked
    }
}

extension OSSCredentialID {
    /// The alphabet of base 32 (RFC 4648, 6).
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

    /// The identifier of a credential that only its document names: 50 bits of the SHA-256 of its identity, in base 32.
    /// For the log and for revocation; whole identities are compared.
    public init?(unlisted identity: [UInt8]) {
        guard let digest = try? SHA256.hash(identity.span) else { return nil }
        let bits = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(digest[$1]) }
        let characters = (0..<10).map { Self.alphabet[Int(bits >> UInt64(59 - 5 * $0) & 31)] }
        self.init(String(decoding: characters, as: UTF8.self))
    }
}
