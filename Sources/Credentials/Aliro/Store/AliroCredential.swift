// SPDX-License-Identifier: Apache-2.0

public import Crypto

/// The key of a phone that the reader knows.
public struct AliroCredential: Equatable, Sendable {
    /// 04 ‖ X ‖ Y, on the curve.
    public let point: [UInt8]
    /// Seconds since 1970-01-01 UTC; nil without a beginning.
    public var validFrom: Int64?
    /// The last second of the validity; nil without an end.
    public var validUntil: Int64?
    /// The document that grants access; nil for a credential that the administrator added.
    public var grant: CardGrant?
    /// True if a credential from a document may replace it when the store is full.
    public var isEvictable = false
    /// The signature time of the last revocation document that the phone has delivered, in seconds since the epoch.
    public var revocationSeen: Int64?

    /// A credential of the administrator, always valid.
    public init(_ key: P256PublicKey) { point = [UInt8](inline: key.point.octets) }

    init(point: [UInt8], grant: CardGrant) {
        self.point = point
        self.grant = grant
        isEvictable = true
    }

    /// The short identification that a phone may return: SHA-1 of the point, eight octets.
    var keySlot: [UInt8]? { (try? SHA1.hash(point.span)).map { Array([UInt8](inline: $0).prefix(8)) } }
}

/// A point that documents are verified with.
public struct AliroAnchor: Equatable, Sendable {
    /// The purpose of the point.
    public enum Role: Sendable {
        /// Signs documents, and is found by its key identifier.
        case issuer
        /// Signs certificates of issuers.
        case authority
    }

    /// 04 ‖ X ‖ Y, on the curve.
    public let point: [UInt8]
    /// Its purpose.
    public let role: Role

    /// An anchor of this key.
    public init(_ key: P256PublicKey, role: Role = .issuer) {
        point = [UInt8](inline: key.point.octets)
        self.role = role
    }

    /// The key identifier in documents.
    var keyIdentifier: [UInt8]? {
        let input = Array("key-identifier".utf8) + point
        return (try? SHA256.hash(input.span)).map { Array([UInt8](inline: $0).prefix(8)) }
    }
}
