// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
public import Timekeeping

/// Changes of the blacklist by commands and credentials, and its restoration at the start.
extension AccessReader {
    /// Adds a backend's entries, all or none.
    ///
    /// - Throws: −32 for data that cannot be decoded, −250 for more than 64 entries, −200 for an entry without a valid
    ///   identifier, −233 for one without a valid time, and −8 if there is no room.
    mutating func push(
        _ data: [UInt8], clock: CivilTime?, _ step: inout BlacklistStep?
    ) throws(StatusCode) -> BlacklistChange {
        let message: BlacklistEntries
        do throws(ProtobufError) {
            message = try BlacklistEntries(decodingDelimited: data.span)
        } catch {
            if case .tooMany = error { throw .tooManyBlacklistEntries }
            throw .decode
        }
        var next = policy.blacklist
        var inForce: [OSSCredentialID] = []
        for pushed in message.entries {
            guard let entry = Blacklist.Entry(pushed) else { throw .credentialID }
            guard entry.expiresAt?.isValid ?? true else { throw .standardOfflineTimestamp }
            switch next.insert(entry, at: clock) {
            // A known entry may itself be pending and fail to be kept. It is included, since the answer states that it
            // is kept.
            case .inserted, .known: inForce.append(entry.credentialID)
            case .expired: break
            case .full: throw .storageFull
            }
        }
        let entries = next.entries(of: inForce)
        let change = next.change(from: policy.blacklist, adding: entries)
        policy.blacklist = next
        step = .put(entries)
        return change
    }

    /// Empties the list.
    mutating func clearBlacklist(_ step: inout BlacklistStep?) -> BlacklistChange {
        policy.blacklist.removeAll()
        step = .clear
        return .clear
    }

    /// Records the additions of a credential to the list.
    mutating func recordAdditions(_ decision: CredentialDecision, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited else { return }
        let count = Int32(clamping: policy.blacklist.count)
        record(event(.blacklistChanged, link, decision.credentialID?.text ?? "", nil, info: count, at: moment))
    }

    /// Requests that a credential's additions are stored. No phone waits for the result, and the list in memory has
    /// them in any case.
    mutating func keep(_ added: [Blacklist.Entry], since former: Blacklist) {
        guard configuration.isAudited else { return }
        policy.add(added)
        let change = policy.blacklist.change(from: former, adding: added)
        effects.append(.store(StorageRequest(id: nil, work: .blacklist(change))))
    }

    /// Replaces the list in memory with a back end's. The caller stores the returned change, and reports the result to
    /// `endReplacement`. Entries that have ended are omitted.
    public mutating func beginReplacement(
        _ entries: [Blacklist.Entry], at moment: Moment
    ) -> (id: CommandID, change: BlacklistChange) {
        let clock = earliestClock(at: moment)
        let current = entries.filter { entry in clock.map { !entry.isOver(at: $0) } ?? true }
        policy.beginChange(of: policy.blacklist)
        policy.blacklist.removeAll()
        policy.blacklist.putBack(current)
        return (commands.append(replacement: .replace(current)), .replace(current.map(BlacklistRow.init)))
    }

    /// Ends a replacement; if it was not stored, the previous list is in force again.
    public mutating func endReplacement(_ id: CommandID, isKept: Bool) {
        guard let step = commands.takeReplacement(id) else { return }
        policy.end(step, isKept: isKept, waiting: commands.blacklistSteps)
    }

    /// The refused credentials.
    public var blacklist: Blacklist {
        get { policy.blacklist }
        set { policy.blacklist = newValue }
    }

    /// Restores the stored entries, after which credentials are decided. Entries that have ended are skipped.
    ///
    /// - Returns: The number of entries that did not fit, which deserves a warning.
    public mutating func restore(_ rows: [BlacklistRow], at moment: Moment) -> Int {
        policy.restore(rows, clock: earliestClock(at: moment))
    }

    /// Holds the requests of phones until `restore` or `awaitRestoration`, while the stored policy is being loaded:
    /// neither the refused credentials nor the clock are known before. `resumeRequests` continues then.
    public mutating func holdRequests() { (policy.isUnknown, policy.isLoading) = (true, true) }

    /// Answers every credential and command by −21 until `restore`, since the refused credentials are not known before.
    /// If the stored policy is lost, this state remains.
    public mutating func awaitRestoration() { (policy.isUnknown, policy.isLoading) = (true, false) }
}

extension Blacklist {
    /// The entries of these credentials.
    func entries(of credentials: [OSSCredentialID]) -> [Entry] {
        let wanted = Set(credentials)
        return entries.filter { wanted.contains($0.credentialID) }
    }

    /// The change of the stored list after the insertion of `added`, which may have removed entries that had ended.
    func change(from former: Blacklist, adding added: [Entry]) -> BlacklistChange {
        let known = Set(former.entries(of: added.map(\.credentialID)).map(\.credentialID))
        let new = Set(added.map(\.credentialID)).subtracting(known)
        return count == former.count + new.count
            ? .put(added.map(BlacklistRow.init)) : .replace(entries.map(BlacklistRow.init))
    }

    /// The rows of the stored list.
    public var rows: [BlacklistRow] { entries.map(BlacklistRow.init) }
}

extension BlacklistRow {
    /// Creates the row of an entry; one without an end has an invalid time.
    init(_ entry: Blacklist.Entry) {
        self.init(
            credential: entry.credentialID.text, until: entry.expiresAt ?? CivilTime(year: 0, month: 0, day: 0))
    }

    /// The time that the event store returns for an invalid one.
    static let noEnd = CivilTime(epochSeconds: 0)

    /// True for an entry without an end.
    public var isForEver: Bool { !until.isValid || until == BlacklistRow.noEnd }
}

extension Blacklist.Entry {
    /// Creates the entry from a stored row; nil if its identifier is invalid.
    init?(_ row: BlacklistRow) {
        guard let credentialID = OSSCredentialID(row.credential) else { return nil }
        self.init(credentialID: credentialID, expiresAt: row.isForEver ? nil : row.until)
    }
}
