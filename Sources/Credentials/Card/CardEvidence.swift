// SPDX-License-Identifier: Apache-2.0

/// A kind of contactless credential.
public enum CardKind: String, CaseIterable, Sendable {
    /// A phone that plays the card of the access session.
    case phone
    case pkoc
    case aliro
    case desfire
}

/// The identity that a card has proven in this transaction.
public struct CardEvidence: Hashable, Sendable {
    /// The kind of the card.
    public let kind: CardKind
    /// The whole identity that lists are searched for: the public key (04 ‖ X ‖ Y, 65 octets) of PKOC and Aliro, the
    /// credential number of DESFire.
    public let identity: [UInt8]
    /// The document that grants access to the identity (Aliro); nil if the reader's own list does.
    public let grant: Grant?

    /// A document that grants access. Its place in memory is separate, because lists of cards have none.
    public indirect enum Grant: Hashable, Sendable {
        /// Of an earlier transaction: the store has it.
        case stored(CardGrant)
        /// Of this transaction: the store has none yet, or an older one.
        case shown(CardGrant)
    }

    /// An identity of this kind.
    public init(kind: CardKind, identity: [UInt8], grant: Grant? = nil) {
        self.kind = kind
        self.identity = identity
        self.grant = grant
    }

    /// The point of the issuer of the document; nil without one.
    public var issuer: [UInt8]? {
        switch grant {
        case .stored(let grant), .shown(let grant): grant.issuer
        case nil: nil
        }
    }

    /// The identity as people see it: the last 16 hexadecimal digits of a key's X coordinate, or of the number. Not
    /// unique; whole identities are compared.
    public var label: String {
        let number = identity.count == 65 ? identity[1..<33] : identity[...]
        return number.suffix(8).map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
