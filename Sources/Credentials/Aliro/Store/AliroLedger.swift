// SPDX-License-Identifier: Apache-2.0

/// The state of an issuer, from the documents that the reader has accepted.
public struct AliroLedger: Equatable, Sendable {
    /// More than an installation revokes; a bound on the memory and on the file.
    public static let maximumRevoked = 4096

    /// The trusted point that names the issuer.
    public let anchor: [UInt8]
    /// The highest iteration of its documents.
    public var highestIteration: Int64 = 0
    /// SHA-256 of the points of revoked credentials.
    public var revoked: Set<[UInt8]> = []
    /// True if the issuer has revoked more than `maximumRevoked`. Then all credentials are revoked, until a document
    /// replaces the list again: a dropped entry would open.
    public var isOverfull = false
    /// The signature time of the last revocation document, in seconds since the epoch.
    public var revocationSigned: Int64?

    /// The state before the first document.
    public init(anchor: [UInt8]) { self.anchor = anchor }

    /// True if the issuer has revoked the credential with this digest.
    func revokes(_ digest: [UInt8]) -> Bool { isOverfull || revoked.contains(digest) }

    /// Applies a document. Without a newer signature time it has no effect on revocations: it would take some back.
    mutating func apply(_ change: AliroIssuerChange) {
        highestIteration = max(highestIteration, change.iteration ?? 0)
        guard let revocation = change.revocation, change.signed > revocationSigned ?? .min else { return }
        revocationSigned = change.signed
        // The dropped entries are not known.
        if isOverfull, !revocation.isReplacing { return }
        revoked = revocation.applied(to: revoked)
        isOverfull = revoked.count > Self.maximumRevoked
        if isOverfull { revoked = [] }
    }
}

/// The content of a verified document about its issuer.
///
/// It is applied to the ledger of that moment: transactions overlap, and each began with a copy of the store. The state
/// after a document would take back what another phone has brought meanwhile.
public struct AliroIssuerChange: Equatable, Sendable {
    /// The point of the issuer.
    let issuer: [UInt8]
    /// The trusted point: the issuer's, or its certificate's authority's.
    let anchor: [UInt8]
    /// The signature time in seconds since the epoch.
    let signed: Int64
    /// The document's iteration; nil without one.
    let iteration: Int64?
    /// The revocations; nil in an access document.
    let revocation: AliroRevocation?

    init(issuer: [UInt8], anchor: [UInt8], signed: Int64, iteration: Int64? = nil, revocation: AliroRevocation? = nil) {
        (self.issuer, self.anchor) = (issuer, anchor)
        (self.signed, self.iteration, self.revocation) = (signed, iteration, revocation)
    }
}

/// The revocation element of a document.
struct AliroRevocation: Equatable, Sendable {
    /// True if the entries replace the list (mode 0), false if they are added to it (mode 1).
    let isReplacing: Bool
    /// SHA-256 of points.
    let added: [[UInt8]]
    let removed: [[UInt8]]

    /// The list after this element: an entry that is added and removed is not in it.
    func applied(to revoked: Set<[UInt8]>) -> Set<[UInt8]> {
        (isReplacing ? [] : revoked).union(added).subtracting(removed)
    }
}
