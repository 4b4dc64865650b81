// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Credentials
import Crypto
import Peripheral
import Timekeeping

/// The events to record.
extension AccessReader {
    /// The event to record before a granted credential takes effect; nil if the grant does not wait.
    func eventToAwait(_ decision: CredentialDecision, _ link: AccessLink, at moment: Moment) -> AuditEvent? {
        guard configuration.isAudited else { return nil }
        var first: AuditEvent?
        decision.forEachEvent { told in
            if first == nil { first = event(told, of: decision, link, at: moment) }
        }
        return first
    }

    /// Puts the answer to a command into the link's session.
    mutating func complete(_ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink) {
        let status = link.session.finish(done, result: result.span, identity: identity)
        report(.executed(link.id, credential: command.credentialID, command: command.name.rawValue, status))
        link.exchange = Exchange(status)
    }

    /// Records a command other than opening, with its result; `isDenied` for a refused credential.
    mutating func record(
        _ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink, at moment: Moment, isDenied: Bool = false
    ) {
        guard configuration.isAudited else { return }
        var event = event(
            isDenied ? .denied : .command, link, command.credentialID, command.name, info: Int32(done.rawValue),
            at: moment)
        // The status is the same for all reasons of the door.
        if isDenied, done == .unavailable, let request = request(of: command.name),
            let reason = CredentialDecision.Denial(verdict(on: request, at: moment.instant))
        {
            event.setDetail(reason.rawValue)
        }
        record(event)
    }

    /// Records a decision about a credential.
    mutating func record(_ decision: CredentialDecision, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited else { return }
        decision.forEachEvent { told in
            if let event = event(told, of: decision, link, at: moment) { record(event) }
        }
    }

    /// The event of a decision; nil for events that no decision has.
    private func event(
        _ told: CredentialEvent, of decision: CredentialDecision, _ link: AccessLink, at moment: Moment
    ) -> AuditEvent? {
        AuditKind(told.id).map {
            let unlisted = decision.unlistedCard
            let kind = $0 == .granted ? grantKind : unlisted != nil ? .unlisted : $0
            var event = event(kind, link, decision.credentialID?.text ?? "", nil, info: told.info, at: moment)
            event.setActor(decision.origin)
            if let unlisted {
                event.setDetail("\(unlisted.kind.rawValue) \(unlisted.label)")
                return event
            }
            // One number stands for several reasons.
            if case .denied(let reason) = decision.outcome, told.info == EventAccessInfo.denied.rawValue {
                event.setDetail(reason.rawValue)
            }
            return event
        }
    }

    /// Records a refused attempt, if the exchange reached the check of a signature. Without a valid signature nothing
    /// in it is proven: the record names no credential, and only a known command, so that a stranger cannot write into
    /// the log.
    mutating func record(_ refusal: SessionRefusal, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited, let attempt = refusal.attempt else { return }
        let isProven = attempt.info != .signature
        let command = attempt.command.flatMap { isProven || CommandName.all.contains($0) ? $0 : nil }
        record(
            event(
                isProven ? .denied : .unproven, link, isProven ? attempt.credentialID : "", command,
                info: Int32(attempt.info.rawValue), at: moment))
    }

    func event(
        _ kind: AuditKind, _ link: AccessLink, _ credential: String, _ command: CommandName?, info: Int32,
        at moment: Moment
    ) -> AuditEvent {
        let time = AuditTime(moment, zone: configuration.zone)
        var event = AuditEvent(
            kind, at: time, info: info, channel: link.id.channel, credential: credential,
            command: command?.rawValue ?? "")
        event.link = link.id.number
        event.mode = link.mode
        event.dBm = link.median
        return event
    }
}

extension AuditKind {
    /// The kind of a credential's event (access protocol, 7.1); nil for events that no decision has.
    fileprivate init?(_ event: EventId) {
        switch event {
        case .accessGranted: self = .granted
        case .accessDenied, .terminalOss: self = .denied
        case .blacklistedCredential: self = .credentialBlacklisted
        case .blacklistFull: self = .blacklistFull
        default: return nil
        }
    }
}
