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
public struct CardEvidence: Equatable, Sendable {
    public let kind: CardKind
    /// The whole identity that lists are searched for: the public key (04 ‖ X ‖ Y, 65 octets) of PKOC and Aliro, the
    /// credential number of DESFire.
    public let identity: [UInt8]

    public init(kind: CardKind, identity: [UInt8]) {
        self.kind = kind
        self.identity = identity
    }
}
