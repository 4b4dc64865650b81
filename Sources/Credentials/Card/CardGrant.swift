// SPDX-License-Identifier: Apache-2.0

/// The content of an access document that stays in force after its transaction: each tap is judged by it.
public struct CardGrant: Hashable, Sendable {
    /// The point of the issuer.
    public let issuer: [UInt8]
    /// The trusted point: the issuer's, or its certificate's authority's.
    public let anchor: [UInt8]
    /// The signature time in seconds since 1970-01-01 UTC.
    public let signed: Int64
    /// The first second of the validity.
    public let validFrom: Int64
    /// The last second of the validity.
    public let validUntil: Int64
    /// True if the document is not valid without a clock.
    public let needsTime: Bool
    /// The access data element in CBOR.
    public let element: [UInt8]

    /// A stored grant.
    public init(
        issuer: [UInt8], anchor: [UInt8], signed: Int64, validFrom: Int64, validUntil: Int64, needsTime: Bool,
        element: [UInt8]
    ) {
        self.issuer = issuer
        self.anchor = anchor
        self.signed = signed
        self.validFrom = validFrom
        self.validUntil = validUntil
        self.needsTime = needsTime
        self.element = element
    }
}
