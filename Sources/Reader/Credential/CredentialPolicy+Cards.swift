// SPDX-License-Identifier: Apache-2.0

internal import AccessProtocol
public import Credentials
internal import Timekeeping

/// The decision about a contactless card with a proven identity: only cards that are listed, or that a document of a
/// trusted issuer admits, and that are not blacklisted, open the door, within their validity and schedules.
extension CredentialPolicy {
    /// Decides about a card, in the order of the checks of other credentials.
    public func decide(
        _ evidence: CardEvidence, cards: CardList, clock: LocalClock, blacklist: Blacklist
    ) -> CredentialDecision {
        let (credentialID, outcome) =
            if evidence.issuer == nil {
                (cards[evidence]?.credentialID, decide(cards[evidence], clock: clock, blacklist: blacklist))
            } else { decide(granted: evidence, clock: clock, blacklist: blacklist) }
        var decision = CredentialDecision(CredentialDecision.Kind(evidence.kind), of: credentialID, outcome)
        decision.card = evidence
        decision.origin = cards.origin(of: evidence)
        return decision
    }

    /// Decides about a credential whose document grants access; the transaction has judged the document's validity,
    /// schedules and rules.
    private func decide(
        granted evidence: CardEvidence, clock: LocalClock, blacklist: Blacklist
    ) -> (OSSCredentialID?, CredentialDecision.Outcome) {
        guard clock.time != nil else { return (nil, .denied(.clockUnset)) }
        guard let id = OSSCredentialID(unlisted: evidence.identity) else { return (nil, .denied(.notListed)) }
        let isRevoked = blacklist.contains(id, at: clock.earliest)
        return (id, isRevoked ? .denied(.blacklisted) : .granted(.defaultTime))
    }

    private func decide(_ card: ListedCard?, clock: LocalClock, blacklist: Blacklist) -> CredentialDecision.Outcome {
        guard let now = clock.time else { return .denied(.clockUnset) }
        guard let card else { return .denied(.notListed) }
        guard !blacklist.contains(card.credentialID, at: clock.earliest) else { return .denied(.blacklisted) }
        let hasBegun = card.validFrom.map { $0 <= now } ?? true
        let hasEnded = card.validUntil.map { $0 < clock.latest ?? now } ?? false
        guard hasBegun, !hasEnded else { return .denied(.validity) }
        guard card.schedules.isEmpty || card.schedules.contains(where: { $0.contains(now, holidays) }) else {
            return .denied(.schedule)
        }
        return .granted(card.isExtended ? .extendedTime : .defaultTime)
    }
}

extension CredentialDecision {
    /// The decision about a proven card that is refused before the lists are asked.
    init(_ evidence: CardEvidence, _ refusal: CardRefusal) {
        self.init(Kind(evidence.kind), of: nil, Outcome(refusal))
        (card, self.refusal) = (evidence, refusal)
    }
}

extension CredentialDecision.Outcome {
    init(_ refusal: CardRefusal) {
        self =
            switch refusal {
            case .revoked: .denied(.blacklisted)
            case .unknown: .denied(.notListed)
            case .notValidNow: .denied(.validity)
            case .noRight: .denied(.schedule)
            default: .failed(.unavailable)
            }
    }
}

extension CredentialDecision.Kind {
    init(_ kind: CardKind) {
        self =
            switch kind {
            case .phone: .phone
            case .pkoc: .pkoc
            case .aliro: .aliro
            case .desfire: .desfire
            }
    }
}

extension CredentialDecision {
    /// The card, if it is not in the list: its identity is proven, and anyone can make one.
    var unlistedCard: CardEvidence? { outcome == .denied(.notListed) ? card : nil }
}
