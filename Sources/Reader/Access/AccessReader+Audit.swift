import AccessProtocol
import Crypto
import Peripheral
import Timekeeping

/// From what happens to what is recorded.
extension AccessReader {
    /// The event that a granted credential waits for; nil if it waits for none.
    func eventToAwait(_ decision: CredentialDecision, _ link: AccessLink, at moment: Moment) -> AuditEvent? {
        guard configuration.isAudited else { return nil }
        var first: AuditEvent?
        decision.forEachEvent { told in
            if first == nil { first = event(told, of: decision, link, at: moment) }
        }
        return first
    }

    /// Puts the answer to a command that was carried out, or not, into the link's session.
    mutating func complete(_ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink) {
        let status = link.session.finish(done, result: result.span, identity: identity)
        tell(.executed(link.id, credential: command.credentialID, command: command.name.rawValue, status))
        link.exchange = Exchange(status)
    }

    /// Records a command other than opening, with what became of it; `isDenied` for one whose credential is refused.
    mutating func record(
        _ command: AuthorizedCommand, _ done: StatusCode, _ link: AccessLink, at moment: Moment, isDenied: Bool = false
    ) {
        guard configuration.isAudited else { return }
        effects.append(
            .record(
                event(
                    isDenied ? .denied : .command, link, command.credentialID, command.name,
                    info: Int32(done.rawValue), at: moment)))
    }

    /// Records what was decided about a credential.
    mutating func record(_ decision: CredentialDecision, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited else { return }
        decision.forEachEvent { told in
            if let event = event(told, of: decision, link, at: moment) { effects.append(.record(event)) }
        }
    }

    /// What a decision is recorded as; nil for what no decision names.
    private func event(
        _ told: CredentialEvent, of decision: CredentialDecision, _ link: AccessLink, at moment: Moment
    ) -> AuditEvent? {
        AuditKind(told.id).map {
            event($0, link, decision.credentialID?.text ?? "", nil, info: told.info, at: moment)
        }
    }

    /// Records an attempt that was refused. What did not get as far as naming a credential is none. Without a good
    /// signature nothing in it is proven, so the record names no credential, and a command only if there is such a one:
    /// else a stranger writes into the log what he likes.
    mutating func record(_ refusal: SessionRefusal, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited, let attempt = refusal.attempt else { return }
        let isProven = attempt.info != .signature
        let command = attempt.command.flatMap { isProven || CommandName.all.contains($0) ? $0 : nil }
        effects.append(
            .record(
                event(
                    isProven ? .denied : .unproven, link, isProven ? attempt.credentialID : "", command,
                    info: Int32(attempt.info.rawValue), at: moment)))
    }

    func event(
        _ kind: AuditKind, _ link: AccessLink, _ credential: String, _ command: CommandName?, info: Int32,
        at moment: Moment
    ) -> AuditEvent {
        let time = AuditTime(moment, zone: configuration.zone)
        var event = AuditEvent(
            kind, at: time, info: info, channel: link.isContactless ? .nfc : .bluetooth, credential: credential,
            command: command?.rawValue ?? "")
        event.link = link.id.number
        event.mode = link.mode
        event.dBm = link.median
        return event
    }
}

extension AuditKind {
    /// The kind of a credential's event (access protocol, 7.1); nil for those that no decision names.
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
