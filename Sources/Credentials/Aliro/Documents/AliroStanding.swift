// SPDX-License-Identifier: Apache-2.0

internal import CBOR
public import Timekeeping

/// The right of a credential now.
public enum AliroStanding: Equatable, Sendable {
    /// The action is permitted.
    case granted
    /// Not in the store.
    case unknown
    /// On an issuer's list of revoked credentials.
    case revoked
    /// Outside of its validity.
    case notValidNow
    /// No rule of its document permits the action now.
    case noRight

    var status: AliroStatus {
        switch self {
        case .granted: .unsecured
        case .unknown: .unknownCredential
        case .revoked: .notTrusted
        case .notValidNow: .expired
        case .noRight: .noAccessRight
        }
    }

    /// The refusal of a card; nil for a granted action.
    public var refusal: CardRefusal? {
        switch self {
        case .granted: nil
        case .unknown: .unknown
        case .revoked: .revoked
        case .notValidNow: .notValidNow
        case .noRight: .noRight
        }
    }
}

extension AliroStore {
    /// The right of a proven identity to any of `actions`, also if the store has changed since its transaction began:
    /// a document grants nothing without its trusted point, and nothing to a phone that the administrator has added.
    public func standing(
        of evidence: CardEvidence, for actions: AliroActions, at moment: Moment, in zone: TimeZoneRule
    ) -> AliroStanding {
        let stored = credential(evidence.identity)
        // The list decides, which the document bypasses.
        if evidence.grant != nil, let stored, stored.grant == nil { return .unknown }
        guard case .shown(let grant) = evidence.grant else {
            return standing(of: stored, for: actions, at: moment, in: zone)
        }
        guard anchors.contains(where: { $0.point == grant.anchor }) else { return .unknown }
        let shown = AliroCredential(point: evidence.identity, grant: grant)
        return standing(of: shown, for: actions, at: moment, in: zone)
    }

    /// The right of `credential` to any of `actions`: revocations of all issuers, its validity, and the rules of its
    /// document. Without a clock, a validity of the administrator's and schedules refuse.
    public func standing(
        of credential: AliroCredential?, for actions: AliroActions, at moment: Moment, in zone: TimeZoneRule
    ) -> AliroStanding {
        guard let credential else { return .unknown }
        guard !revokes(credential.point) else { return .revoked }
        if let from = credential.validFrom {
            guard let now = moment.epochSeconds, now >= from else { return .notValidNow }
        }
        if let until = credential.validUntil, moment.isOver(until) { return .notValidNow }
        guard let grant = credential.grant else { return .granted }
        guard grant.isValid(at: moment) else { return .notValidNow }
        guard let node = try? CBORNode(decoding: grant.element.span), let data = try? AliroAccessData(node),
            data.permits(actions, at: moment, in: zone)
        else { return .noRight }
        return .granted
    }
}

extension CardGrant {
    /// Verifies that the reader supports the element.
    func check() throws(AliroDocumentFault) {
        guard let node = try? CBORNode(decoding: element.span) else { throw .format }
        _ = try AliroAccessData(node)
    }

    func isValid(at moment: Moment) -> Bool {
        guard let now = moment.epochSeconds else { return !needsTime }
        return now >= validFrom && !moment.isOver(validUntil)
    }
}
