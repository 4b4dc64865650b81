public import AccessProtocol
public import Timekeeping

/// The credentials that are refused until they would have ended anyway, as many as there is room for.
///
/// A value: whoever stores it is told what was added by what the calls return. It takes entries from a backend and
/// those that credentials carry from door to door.
public struct Blacklist: Equatable, Sendable {
    /// How many entries there are at most unless told otherwise: 100 times what one credential carries, 80 KB.
    public static let defaultCapacity = 1600

    /// A refused credential.
    public struct Entry: Hashable, Sendable {
        /// The credential.
        public var credentialID: OSSCredentialID
        /// The last second at which it is refused; nil is for ever.
        public var expiresAt: CivilTime?

        /// An entry that is in force through `expiresAt`; given to the minute (seconds 0), the whole of it.
        public init(credentialID: OSSCredentialID, expiresAt: CivilTime?) {
            self.credentialID = credentialID
            self.expiresAt = expiresAt
            if expiresAt?.second == 0 { self.expiresAt?.second = 59 }
        }

        /// The entry that a credential carries.
        public init(_ entry: OSSBlacklistEntry) {
            self.init(
                credentialID: entry.credentialID,
                expiresAt: entry.expiresAt.isUnset ? nil : entry.expiresAt.civilTime)
        }

        /// The entry that a backend sends; nil if its name is none. All of its time zero is for ever.
        public init?(_ entry: BlacklistEntry) {
            guard let credentialID = OSSCredentialID(entry.credentialId.id) else { return nil }
            let time = CivilTime(entry.expiresAt)
            let isUnset = time == CivilTime(year: 0, month: 0, day: 0)
            self.init(credentialID: credentialID, expiresAt: isUnset ? nil : time)
        }

        /// Whether it is over at `now`.
        public func isOver(at now: CivilTime) -> Bool { expiresAt.map { $0 < now } ?? false }
    }

    /// What became of an entry.
    public enum Insertion: Hashable, Sendable {
        /// It is in the list, new or with a later end than before.
        case inserted
        /// The list has it already, with this end or a later one.
        case known
        /// It is over and changes nothing.
        case expired
        /// There is no room: it is not in the list.
        case full
    }

    /// How many entries there may be.
    public let capacity: Int
    private var ends: [OSSCredentialID: CivilTime?] = [:]

    /// A list without entries, with room for `capacity` of them.
    public init(capacity: Int = Blacklist.defaultCapacity) {
        self.capacity = max(0, capacity)
    }

    /// How many entries there are, those that are over included.
    public var count: Int { ends.count }

    /// All entries, by name.
    public var entries: [Entry] {
        ends.map { Entry(credentialID: $0.key, expiresAt: $0.value) }
            .sorted { $0.credentialID.text < $1.credentialID.text }
    }

    /// Whether the credential is refused at `now`. While nobody knows the time, an entry counts whatever its end.
    public func contains(_ credentialID: OSSCredentialID, at now: CivilTime?) -> Bool {
        guard let end = ends[credentialID] else { return false }
        guard let end, let now else { return true }
        return now <= end
    }

    /// Adds an entry, or moves the end of one to a later time. Where there is no room, entries that are over go first;
    /// nothing that is in force ever goes for another.
    @discardableResult
    public mutating func insert(_ entry: Entry, at now: CivilTime?) -> Insertion {
        if let now, entry.isOver(at: now) { return .expired }
        if let present = ends[entry.credentialID] {
            guard let end = present, entry.expiresAt.map({ $0 > end }) ?? true else { return .known }
        } else if ends.count >= capacity {
            guard let now, removeExpired(at: now) > 0 else { return .full }
        }
        ends[entry.credentialID] = .some(entry.expiresAt)
        return .inserted
    }

    /// Removes the entries that are over at `now`; how many there were.
    @discardableResult
    public mutating func removeExpired(at now: CivilTime) -> Int {
        let before = ends.count
        ends = ends.filter { $0.value.map { now <= $0 } ?? true }
        return before - ends.count
    }

    /// Removes those of the entries that are in the list with the same end.
    public mutating func remove(_ entries: [Entry]) {
        for entry in entries where ends[entry.credentialID] == .some(entry.expiresAt) {
            ends[entry.credentialID] = nil
        }
    }

    /// Puts back what was taken out and is in force after all, whatever room there is: else what came meanwhile would
    /// let it go.
    mutating func putBack(_ entries: [Entry]) {
        for entry in entries {
            if let present = ends[entry.credentialID] {
                guard let end = present, entry.expiresAt.map({ $0 > end }) ?? true else { continue }
            }
            ends[entry.credentialID] = .some(entry.expiresAt)
        }
    }

    /// Removes all entries.
    public mutating func removeAll() { ends.removeAll() }
}

extension Blacklist: CustomStringConvertible, CustomDebugStringConvertible {
    /// How many entries there are, and not whose.
    public var description: String { "\(count) of \(capacity) entries" }

    /// The same.
    public var debugDescription: String { description }
}
