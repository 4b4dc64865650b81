// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Timekeeping

/// Orders of operators about single credentials.
extension AccessReader {
    /// Executes an order about one credential, with the record of its origin. An outcome other than `waits` is final; a
    /// `revocation` effect with the ticket answers the others.
    ///
    /// A revocation is in force at once, and stays so if the disk fails. The end of a revocation is in force once it is
    /// on the disk. Later additions by phones, credentials and back ends count again.
    public mutating func execute(
        _ order: RevocationOrder, ticket: OperatorTicket, _ event: AuditEvent, at moment: Moment
    ) -> RevocationOutcome {
        guard !policy.isUnknown else { return .refused(.policyUnknown) }
        switch order {
        case .revoke(let credential, let until): return revoke(credential, until, ticket, event, at: moment)
        case .unrevoke(let credential): return unrevoke(credential, ticket, event)
        }
    }

    private mutating func revoke(
        _ credential: OSSCredentialID, _ until: CivilTime?, _ ticket: OperatorTicket, _ event: AuditEvent,
        at moment: Moment
    ) -> RevocationOutcome {
        let clock = earliestClock(at: moment)
        if until != nil, clock == nil { return .refused(.clockUnset) }
        let former = policy.blacklist
        let insertion = policy.blacklist.insert(
            Blacklist.Entry(credentialID: credential, expiresAt: until), at: clock)
        switch insertion {
        case .expired: return .refused(.ended)
        case .full: return .refused(.listFull)
        case .inserted, .known: break
        }
        // A known entry is stored again: it may be pending, or not be on the disk.
        let entries = policy.blacklist.entries(of: [credential])
        let end = entries.first?.expiresAt
        policy.add(entries)
        if insertion == .inserted { record(event) }
        guard configuration.isAudited else { return .revoked(until: end) }
        let change = policy.blacklist.change(from: former, adding: entries)
        let waiting = PendingCommands.Revocation(
            ticket: ticket, event: insertion == .inserted ? event : nil, outcome: .revoked(until: end))
        effects.append(.store(StorageRequest(id: commands.append(waiting), work: .blacklist(change))))
        return .waits
    }

    private mutating func unrevoke(
        _ credential: OSSCredentialID, _ ticket: OperatorTicket, _ event: AuditEvent
    ) -> RevocationOutcome {
        guard !policy.blacklist.entries(of: [credential]).isEmpty else { return .refused(.notRevoked) }
        record(event)
        guard configuration.isAudited else {
            policy.blacklist.remove(policy.blacklist.entries(of: [credential]))
            return .unrevoked
        }
        let waiting = PendingCommands.Revocation(
            ticket: ticket, event: event, outcome: .unrevoked, step: policy.beginRemoval(of: credential))
        effects.append(
            .store(StorageRequest(id: commands.append(waiting), work: .blacklist(.remove([credential.text])))))
        return .waits
    }

    /// Ends an order whose change is on the disk, or could not be kept.
    mutating func end(_ revocation: PendingCommands.Revocation, isKept: Bool) {
        if let step = revocation.step { policy.end(step, isKept: isKept, waiting: commands.blacklistSteps) }
        if isKept, let event = revocation.event {
            let count = Int32(clamping: policy.blacklist.count)
            record(event.changed(to: .blacklistChanged, info: count))
        }
        effects.append(.revocation(revocation.ticket, isKept ? revocation.outcome : .refused(.notKept)))
    }
}
