import AccessProtocol
import Protobuf
public import Timekeeping

/// Changes of the blacklist, by commands and credentials, and the start with what was kept.
extension AccessReader {
    /// Adds what a backend has sent, all of it or nothing.
    ///
    /// Throws −32 for octets that are no such message, −250 for more than 64 entries, −200 for one without a name, −233
    /// for one without a time that exists, and −8 where there is no room.
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
            // What the list has already may wait to be kept itself, and not be: who is told that it is kept has to be
            // right all the same.
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

    /// Records what a credential has added to the list.
    mutating func recordAdditions(_ decision: CredentialDecision, _ link: AccessLink, at moment: Moment) {
        guard configuration.isAudited else { return }
        let count = Int32(clamping: policy.blacklist.count)
        effects.append(
            .record(
                event(
                    .blacklistChanged, link, decision.credentialID?.text ?? "", nil, info: count, at: moment)))
    }

    /// Has kept what a credential has added; nobody waits for that, and the list in memory holds it either way.
    mutating func keep(_ added: [Blacklist.Entry], since former: Blacklist) {
        guard configuration.isAudited else { return }
        policy.add(added)
        let change = policy.blacklist.change(from: former, adding: added)
        effects.append(.store(StorageRequest(id: nil, work: .blacklist(change))))
    }

    /// The credentials that are refused.
    public var blacklist: Blacklist {
        get { policy.blacklist }
        set { policy.blacklist = newValue }
    }

    /// Puts in what was kept; from now on credentials are looked at. Entries whose time is over are left out, and those
    /// for which there is no room: how many, which is worth a warning.
    public mutating func restore(_ rows: [BlacklistRow], at moment: Moment) -> Int {
        policy.restore(rows, clock: earliestClock(at: moment))
    }

    /// Answers every credential and command by −21 until `restore` has put in what was kept: before that nobody knows who
    /// is called back. If what was kept is lost, that stays so.
    public mutating func awaitRestoration() { policy.isUnknown = true }
}

extension Blacklist {
    /// The entries of these credentials.
    func entries(of credentials: [OSSCredentialID]) -> [Entry] {
        let wanted = Set(credentials)
        return entries.filter { wanted.contains($0.credentialID) }
    }

    /// How the stored list is to follow; `added` were inserted into `former`, and what was over may have gone for them.
    func change(from former: Blacklist, adding added: [Entry]) -> BlacklistChange {
        let known = Set(former.entries(of: added.map(\.credentialID)).map(\.credentialID))
        let new = Set(added.map(\.credentialID)).subtracting(known)
        return count == former.count + new.count
            ? .put(added.map(BlacklistRow.init)) : .replace(entries.map(BlacklistRow.init))
    }

    /// What the stored list is to hold.
    public var rows: [BlacklistRow] { entries.map(BlacklistRow.init) }
}

extension BlacklistRow {
    /// The entry as it is stored: one without an end has none that exists.
    init(_ entry: Blacklist.Entry) {
        self.init(
            credential: entry.credentialID.text, until: entry.expiresAt ?? CivilTime(year: 0, month: 0, day: 0))
    }

    /// The time that the store gives back for one that does not exist.
    static let noEnd = CivilTime(epochSeconds: 0)
}

extension Blacklist.Entry {
    /// The entry that was stored; nil if its name is none.
    init?(_ row: BlacklistRow) {
        guard let credentialID = OSSCredentialID(row.credential) else { return nil }
        let isForEver = !row.until.isValid || row.until == BlacklistRow.noEnd
        self.init(credentialID: credentialID, expiresAt: isForEver ? nil : row.until)
    }
}
