// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Timekeeping

/// The credentials that are refused until the end of their validity, up to a capacity.
///
/// A value: its methods return the additions, for the event store. Entries come from a backend and from credentials,
/// which carry them from door to door.
public struct Blacklist: Equatable, Sendable {
    /// The default capacity: 100 times the entries that one credential carries, 80 KB.
    public static let defaultCapacity = 1600

    /// A refused credential.
    public struct Entry: Hashable, Sendable {
        /// The refused credential.
        public var credentialID: OSSCredentialID
        /// The last second at which it is refused; nil for ever.
        public var expiresAt: CivilTime?

        /// Creates an entry in force through `expiresAt`; seconds 0 stand for the whole minute.
        public init(credentialID: OSSCredentialID, expiresAt: CivilTime?) {
            self.credentialID = credentialID
            self.expiresAt = expiresAt
            if expiresAt?.second == 0 { self.expiresAt?.second = 59 }
        }

        /// Creates the entry from a credential's.
        public init(_ entry: OSSBlacklistEntry) {
            self.init(
                credentialID: entry.credentialID,
                expiresAt: entry.expiresAt.isUnset ? nil : entry.expiresAt.civilTime)
        }

        /// Creates the entry from a backend's; nil if its identifier is invalid. An all-zero time is "for ever".
        public init?(_ entry: BlacklistEntry) {
            guard let credentialID = OSSCredentialID(entry.credentialId.id) else { return nil }
            let time = CivilTime(entry.expiresAt)
            let isUnset = time == CivilTime(year: 0, month: 0, day: 0)
            self.init(credentialID: credentialID, expiresAt: isUnset ? nil : time)
        }

        /// True if the entry has ended at `now`.
        public func isOver(at now: CivilTime) -> Bool { expiresAt.map { $0 < now } ?? false }
    }

    /// The result of adding an entry.
    public enum Insertion: Hashable, Sendable {
        /// Added, or its end moved to a later time.
        case inserted
        /// Present already, with this end or a later one.
        case known
        /// Not added: the entry has ended.
        case expired
        /// Not added: the list is full.
        case full
    }

    /// The maximum number of entries.
    public let capacity: Int
    private var ends: [OSSCredentialID: CivilTime?] = [:]

    /// Creates an empty list with room for `capacity` entries.
    public init(capacity: Int = Blacklist.defaultCapacity) {
        self.capacity = max(0, capacity)
    }

    /// The number of entries, including those that have ended.
    public var count: Int { ends.count }

    /// All entries, ordered by identifier.
    public var entries: [Entry] {
        ends.map { Entry(credentialID: $0.key, expiresAt: $0.value) }
            .sorted { $0.credentialID.text < $1.credentialID.text }
    }

    /// True if the credential is refused at `now`. While the time is not known, an entry applies regardless of its end.
    public func contains(_ credentialID: OSSCredentialID, at now: CivilTime?) -> Bool {
        guard let end = ends[credentialID] else { return false }
        guard let end, let now else { return true }
        return now <= end
    }

    /// Adds an entry, or moves the end of a present one to a later time. If the list is full, entries that have ended
    /// are removed first; an entry in force is never removed for another.
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

    /// Removes the entries that have ended at `now`.
    ///
    /// - Returns: The number of removed entries.
    @discardableResult
    public mutating func removeExpired(at now: CivilTime) -> Int {
        let before = ends.count
        ends = ends.filter { $0.value.map { now <= $0 } ?? true }
        return before - ends.count
    }

    /// Removes each of `entries` that is in the list with the same end.
    public mutating func remove(_ entries: [Entry]) {
        for entry in entries where ends[entry.credentialID] == .some(entry.expiresAt) {
            ends[entry.credentialID] = nil
        }
    }

    /// Restores entries that are in force after all, also beyond the capacity: otherwise entries added meanwhile would
    /// displace them.
    package mutating func putBack(_ entries: [Entry]) {
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
    /// The number of entries, without identifiers.
    public var description: String { "\(count) of \(capacity) entries" }

    /// Equal to `description`.
    public var debugDescription: String { description }
}
