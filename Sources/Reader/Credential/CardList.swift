// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
public import Timekeeping

/// A card that opens this door.
public struct ListedCard: Equatable, Sendable {
    /// The kind of the card, and its whole identity.
    public var evidence: CardEvidence
    /// The identifier in the log, for revocation, and for a panel that knows identifiers.
    public var credentialID: OSSCredentialID
    /// The name for people; never in a log.
    public var name: String
    /// The first minute in which the card opens, in local time; nil for no beginning.
    public var validFrom: CivilTime?
    /// The last second in which it opens; nil for no end.
    public var validUntil: CivilTime?
    /// The times at which it opens; always if empty.
    public var schedules: [DoorGroup.Schedule]
    /// True if it opens for the extended time.
    public var isExtended: Bool

    /// Creates a card with these values; seconds 0 of the end stand for the whole minute.
    public init(
        _ evidence: CardEvidence, _ credentialID: OSSCredentialID, name: String = "", validFrom: CivilTime? = nil,
        validUntil: CivilTime? = nil, schedules: [DoorGroup.Schedule] = [], isExtended: Bool = false
    ) {
        (self.evidence, self.credentialID, self.name) = (evidence, credentialID, name)
        (self.validFrom, self.validUntil) = (validFrom, validUntil)
        if validUntil?.second == 0 { self.validUntil?.second = 59 }
        (self.schedules, self.isExtended) = (schedules, isExtended)
    }
}

/// The cards that open this door, found by their whole identity.
public struct CardList: Equatable, Sendable {
    /// The maximum number of cards: 1 MB in memory, far above one door's.
    public static let limit = 4096

    private var cards: [CardEvidence: ListedCard] = [:]

    /// Creates a list of these cards; of two with one identity the last.
    public init(_ cards: [ListedCard] = []) {
        for card in cards { self.cards[card.evidence] = card }
    }

    /// The number of cards.
    public var count: Int { cards.count }

    /// The identities of the cards of this kind.
    func identities(of kind: CardKind) -> [[UInt8]] {
        cards.keys.compactMap { $0.kind == kind ? $0.identity : nil }
    }

    /// The card with this identity; nil if it is not listed.
    public subscript(_ evidence: CardEvidence) -> ListedCard? { cards[evidence] }
}
