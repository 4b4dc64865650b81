// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The way of a phone's request that the reader would grant.
public enum GrantRoute: Equatable, Sendable {
    /// The reader decides: the door opens.
    case door
    /// An access panel decides: the credential is handed on, and the lock stays as it is.
    case panel
    /// An access panel would decide, and is silent: phones are refused.
    case nowhere
}

extension AccessReader {
    /// The verdict on a phone's request, without carrying it out. A panel can be asked for an opening only.
    func verdict(on request: DoorRequest, at now: Instant) -> DoorVerdict {
        let verdict = door.verdict(on: request, at: now)
        guard verdict == .done, grantRoute != .door else { return verdict }
        return grantRoute == .panel && request == .pulse ? .done : .leftToPanel
    }

    /// Carries out a phone's request: by the door, or by handing its credential on.
    mutating func carryOut(
        _ request: DoorRequest, of credential: ShownCredential, since: Instant?, at now: Instant
    ) -> DoorVerdict {
        guard grantRoute != .door else { return door.request(request, since: since, at: now, into: &effects) }
        let verdict = verdict(on: request, at: now)
        if verdict == .done {
            effects.append(.handOn(credential, since: since ?? now))
        } else {
            door.refuse(at: now, into: &effects)
        }
        return verdict
    }

    /// The request for a decision; nil for a refusal. A panel decides how the door opens.
    func request(for decision: CredentialDecision) -> DoorRequest? {
        let request = doorRequest(for: decision)
        return grantRoute == .panel && request != nil ? .pulse : request
    }

    /// The kind of record of a grant.
    var grantKind: AuditKind { grantRoute == .panel ? .handedOn : .granted }

    /// Shows the missing parts of the board on the red light.
    mutating func lacks(_ missing: MissingParts, at moment: Moment) {
        door.lacks(missing.flashes, at: moment.instant, into: &effects)
        door.flushEvents(at: moment, configuration, into: &effects, &ledger)
    }

    /// Applies the signs of an access panel on lights and buzzer.
    public mutating func panelShows(_ signs: PanelSigns, at moment: Moment) {
        door.panel(shows: signs, at: moment.instant, into: &effects)
        door.flushEvents(at: moment, configuration, into: &effects, &ledger)
    }

    /// Shows a fault of the reader by the lights; nil ends the sign.
    public mutating func show(_ fault: DoorFault?, at moment: Moment) {
        door.show(fault, at: moment.instant, into: &effects)
        door.flushEvents(at: moment, configuration, into: &effects, &ledger)
    }
}
