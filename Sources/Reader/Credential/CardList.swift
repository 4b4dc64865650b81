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
    /// The source of the card, and its user there, for the log; empty for the site's own list.
    public var origin: String

    /// Creates a card with these values; seconds 0 of the end stand for the whole minute.
    public init(
        _ evidence: CardEvidence, _ credentialID: OSSCredentialID, name: String = "", validFrom: CivilTime? = nil,
        validUntil: CivilTime? = nil, schedules: [DoorGroup.Schedule] = [], isExtended: Bool = false,
        origin: String = ""
    ) {
        (self.evidence, self.credentialID, self.name) = (evidence, credentialID, name)
        (self.validFrom, self.validUntil) = (validFrom, validUntil)
        if validUntil?.second == 0 { self.validUntil?.second = 59 }
        (self.schedules, self.isExtended, self.origin) = (schedules, isExtended, origin)
    }
}

/// The cards that open this door, found by their whole identity.
public struct CardList: Equatable, Sendable {
    /// The maximum number of cards: 1 MB in memory, far above one door's.
    public static let limit = 4096

    private var cards: [CardEvidence: ListedCard] = [:]
    /// The sources of issuers, by their points.
    private var issuers: [[UInt8]: String] = [:]

    /// Creates a list of these cards; of two with one identity the last.
    public init(_ cards: [ListedCard] = []) {
        for card in cards { self.cards[card.evidence] = card }
    }

    /// Adds cards of another source, and the origins of its issuers by their points. A card that is listed stays as it
    /// is listed.
    public mutating func add(_ others: [ListedCard], issuers: [[UInt8]: String]) {
        for card in others where cards[card.evidence] == nil { cards[card.evidence] = card }
        self.issuers.merge(issuers) { $1 }
    }

    /// The origin of a card for the log; empty for one of the site's list.
    func origin(of evidence: CardEvidence) -> String {
        evidence.issuer.map { issuers[$0] ?? "" } ?? cards[evidence]?.origin ?? ""
    }

    /// The number of cards.
    public var count: Int { cards.count }

    /// The number of cards of this kind.
    public func count(of kind: CardKind) -> Int { cards.keys.count { $0.kind == kind } }

    /// The identities of the cards of this kind.
    func identities(of kind: CardKind) -> [[UInt8]] {
        cards.keys.compactMap { $0.kind == kind ? $0.identity : nil }
    }

    /// The card with this identity; nil if it is not listed.
    public subscript(_ evidence: CardEvidence) -> ListedCard? { cards[evidence] }
}
