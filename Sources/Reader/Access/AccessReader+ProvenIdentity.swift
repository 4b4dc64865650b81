// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Timekeeping

/// From an identity that a card, or a client of another service over Bluetooth LE, has proven to the decision that its
/// transaction gets.
extension AccessReader {
    /// Decides about a proven identity, now or once the policy is loaded.
    mutating func decide(_ evidence: CardEvidence, _ link: AccessLink, at moment: Moment) {
        guard !policy.isLoading else { return link.proven = .held(evidence) }
        link.proven = .awaited
        link.hasWaited = decide(.card(evidence), link, clock: clock(at: moment), at: moment) == .waits
    }

    /// The reason to refuse a proven identity before the lists are asked; nil if they decide.
    func refusal(of evidence: CardEvidence, at moment: Moment) -> CardRefusal? {
        guard !policy.isUnknown, cards != nil else { return .unavailable }
        switch evidence.kind {
        case .aliro:
            guard let aliroDoor else { return .unavailable }
            let (store, actions) = (aliroDoor.store, aliroDoor.reader.actions)
            return store.standing(of: evidence, for: actions, at: moment, in: configuration.zone).refusal
        case .desfire: return desfire == nil ? .unavailable : nil
        case .pkoc, .phone: return nil
        }
    }

    /// Refuses a proven identity before the lists are asked.
    mutating func refuse(_ evidence: CardEvidence, _ refusal: CardRefusal, _ link: AccessLink, at moment: Moment) {
        report(refusal, link, evidence.kind, at: moment)
        link.exchange = refusal == .unavailable ? .failed : .denied
        conclude(.refused, link)
    }

    /// Continues with the identity that has waited for the policy; false if there is none.
    mutating func resumeIdentity(of link: AccessLink, at moment: Moment) -> Bool {
        guard case .held(let evidence) = link.proven else { return false }
        decide(evidence, link, at: moment)
        return true
    }

    /// Passes the decision to the transaction. A radio's answer is sent when its link is writable.
    mutating func conclude(_ decision: CredentialDecision, _ link: AccessLink) {
        report(.decided(link.id, decision, decision.status))
        link.exchange = Exchange(decision)
        conclude(decision.isGranted ? grantRoute == .panel ? .handedOn : .opened : .refused, link)
    }

    private mutating func conclude(_ decision: CardDecision, _ link: AccessLink) {
        // The card or the client may have gone meanwhile.
        guard link.proven != nil else { return }
        // The answer to a card may be sealed.
        defer { wipeStack() }
        link.proven = nil
        link.observe(isUnlocked: isUnlocked)
        guard link.conclude(decision) else { return }
        if let card = polled, card === link { finish(card) } else { apply(link.takeStoreChanges()) }
    }

    /// Reports the refusal of a card, or of a client, once. One that concerns its proof or its identity is recorded,
    /// and counts as an attempt.
    mutating func report(_ refusal: CardRefusal, _ link: AccessLink, _ kind: CardKind?, at moment: Moment) {
        guard !link.isRefused else { return }
        link.isRefused = true
        report(.cardRefused(link.id, kind, refusal))
        guard refusal.isAttempt else { return door.refuse(at: moment.instant, into: &effects) }
        if configuration.isAudited { record(attempt(refusal, link, kind, at: moment)) }
        door.deny(at: moment.instant, into: &effects)
    }

    /// The event of a refused attempt. It names a credential that the list or an issuer names, as a decision does. A
    /// key that anyone can make is unlisted, and without a proof nothing is named.
    private func attempt(
        _ refusal: CardRefusal, _ link: AccessLink, _ kind: CardKind?, at moment: Moment
    ) -> AuditEvent {
        guard let info = refusal.information, let proven = link.evidence else {
            var event = event(.unproven, link, "", nil, info: Int32(StatusCode.signature.rawValue), at: moment)
            event.setDetail("\(kind?.rawValue ?? "card") \(refusal.rawValue)")
            return event
        }
        let listed = cards?[CardEvidence(kind: proven.kind, identity: proven.identity)]
        let id = listed?.credentialID ?? proven.issuer.flatMap { _ in OSSCredentialID(unlisted: proven.identity) }
        var event = event(
            id == nil ? .unlisted : .denied, link, id?.text ?? "", nil, info: info.rawValue, at: moment)
        event.setActor(cards?.origin(of: listed?.evidence ?? proven) ?? "")
        let name = "\(proven.kind.rawValue) \(proven.label)"
        event.setDetail(
            id != nil ? refusal.rawValue : refusal == .unknown ? name : "\(name) \(refusal.rawValue)")
        return event
    }
}

extension CardRefusal {
    /// True if the card has claimed an identity that it does not have, or that may not open the door.
    fileprivate var isAttempt: Bool {
        switch self {
        case .key, .proof, .document, .unknown, .revoked, .notValidNow, .noRight: true
        case .malformed, .statusWord, .version, .algorithm, .tooLong, .outOfOrder, .silent, .absent, .unavailable: false
        }
    }

    /// The information of the record about an identity that was proven before; nil if the proof itself has failed.
    fileprivate var information: EventAccessInfo? {
        switch self {
        case .revoked: .deniedBlacklisted
        case .notValidNow: .deniedValidity
        case .document, .unknown, .noRight: .denied
        default: nil
        }
    }
}
