// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterInteraction
import MatterTLV
import Timekeeping

/// Changes of users. What concerns the reader is in force when the program has stored it, and not before.
extension NodeModel {
    /// Makes `users` the users, if the program agrees.
    mutating func commit(
        _ users: LockUsers, _ changes: [LockDataChange], _ call: Invocation, signingKey: SecretOctets? = nil,
        answering outcome: CommandOutcome = .done, full: CommandOutcome = .status(.resourceExhausted),
        refused: CommandOutcome = .status(.failure)
    ) throws(StatusInformation) -> CommandOutcome {
        // A second change would begin from users that may not be in force.
        guard lock.pendingUsers == nil else { throw StatusInformation(.busy) }
        let update = aliroUpdate(to: users.provision, signingKey)
        let records = users.changesOfPINs(since: state.users)
        guard lock.traits.asksProgram, update != nil || !records.isEmpty else {
            apply(users, changes, by: call.accessor, at: call.now)
            return outcome
        }
        let id = makeRequestNumber()
        lock.pendingUsers = PendingUsers(
            id: id, unrecorded: update == nil ? [] : records, base: state.users, users: users, changes: changes,
            author: call.accessor, ticket: call.ticket, outcome: outcome, full: full, refused: refused,
            due: call.now + LockOrder.answerTime)
        if let update {
            requests.append(.aliro(AliroRequest(id: id, update: update, author: call.author)))
        } else {
            requests.append(.recordPINs(PINRequest(id: id, changes: records, author: call.author)))
        }
        return .later(call.ticket)
    }

    /// The update that makes `new` the provision of the reader; nil for none.
    private func aliroUpdate(to new: AliroProvision, _ signingKey: SecretOctets?) -> AliroUpdate? {
        let old = state.users.provision
        guard lock.traits.hasAliro, old != new else { return nil }
        if old.reader == new.reader { return .keys(new.keys) }
        guard let reader = new.reader, let signingKey else { return .clear }
        return .configure(reader, signingKey)
    }

    /// Handles the program's answer to the present request of a change. It is ignored unless a change waits for it.
    mutating func answer(users id: UInt32, _ result: AliroResult, at now: Instant) {
        guard let pending = lock.pendingUsers, pending.id == id else { return }
        lock.pendingUsers = nil
        // A fabric may have been removed in the meantime.
        guard result == .done, pending.base == state.users else {
            // The program may have stored it after all.
            if result == .done || pending.isProvisioned { lock.provision = nil }
            return requests.append(.complete(pending.ticket, result == .full ? pending.full : pending.refused))
        }
        guard pending.unrecorded.isEmpty else { return requestRecords(pending) }
        lock.provision = pending.users.provision
        apply(pending.users, pending.changes, by: pending.author, at: now)
        requests.append(.complete(pending.ticket, pending.outcome))
    }

    /// Requests the records of the PINs of a change that the reader has stored.
    private mutating func requestRecords(_ stored: PendingUsers) {
        let request = PINRequest(
            id: makeRequestNumber(), changes: stored.unrecorded, author: MatterAuthor(stored.author))
        var pending = stored
        (pending.id, pending.isProvisioned, pending.unrecorded) = (request.id, true, [])
        lock.pendingUsers = pending
        requests.append(.recordPINs(request))
    }

    /// Refuses a change whose answer is late, and makes the program have the users again.
    mutating func advanceUsers(to now: Instant) {
        guard let pending = lock.pendingUsers, pending.due <= now else { return }
        answer(users: pending.id, .refused, at: now)
        lock.provision = nil
    }

    private mutating func apply(
        _ users: LockUsers, _ changes: [LockDataChange], by author: Accessor, at now: Instant
    ) {
        if state.users.reader != users.reader { readerChanged() }
        if state.users != users { state.users = users }
        record(changes, LockAuthor(source: .remote, fabric: author.fabric, node: author.node), at: now)
    }

    /// Records changes (LockUserChange).
    mutating func record(_ changes: [LockDataChange], _ author: LockAuthor, at now: Instant) {
        for change in changes {
            record(.device, .doorLock, 4, at: now) { event in
                event.unsigned(change.kind.rawValue, as: 0)
                event.unsigned(change.operation.rawValue, as: 1)
                event.unsigned(author.source.rawValue, as: 2)
                event.unsigned(change.user, as: 3)
                event.nullable(author.fabric?.rawValue, as: 4)
                event.nullable(author.node?.rawValue, as: 5)
                event.unsigned(change.index, as: 6)
            }
        }
    }

    mutating func readerChanged() {
        changed(.device, .doorLock, 0x80)
        changed(.device, .doorLock, 0x81)
    }

    /// Makes the reader's identifier, if it has none.
    mutating func prepareUsers() {
        guard lock.traits.hasAliro, state.users.sub.isEmpty else { return }
        state.users.sub = random.octets(LockUsers.identifierCount)
    }

    /// Gives the program the configuration and the keys in force, if it may have others: at the start, after a lost
    /// connection, and after the removal of a fabric. The answers are not awaited: the next start repeats them.
    mutating func provisionReader() {
        guard lock.traits.hasAliro else { return }
        prepareUsers()
        let wanted = state.users.provision
        guard lock.pendingUsers == nil, lock.provision != wanted else { return }
        if let known = lock.provision, known.reader != wanted.reader { readerChanged() }
        defer { lock.provision = wanted }
        guard lock.traits.asksProgram else { return }
        if wanted.reader == nil, lock.provision == nil || lock.provision?.reader != nil {
            requests.append(.aliro(AliroRequest(id: makeRequestNumber(), update: .clear, author: nil)))
        }
        if lock.provision?.keys != wanted.keys {
            requests.append(.aliro(AliroRequest(id: makeRequestNumber(), update: .keys(wanted.keys), author: nil)))
        }
    }
}
