// SPDX-License-Identifier: Apache-2.0

/// The capacity of a log, and its behaviour when full.
public struct LogCapacity: Equatable, Sendable {
    /// The behaviour of a full log.
    public enum WhenFull: String, CaseIterable, Equatable, Sendable {
        /// The oldest records are dropped.
        case overwrite
        /// Grants are refused until an operator clears the log.
        case refuse
    }

    /// The handling of a further record.
    public enum Admission: Equatable, Sendable {
        /// The record is written.
        case write
        /// The record is written, and this many of the oldest are dropped.
        case writeDropping(Int)
        /// There is no room for the record.
        case refuse
    }

    /// The number of records that are kept at least. Records that prove nothing do not count, up to the same number.
    public var records: Int
    /// The behaviour when full.
    public var whenFull: WhenFull

    /// The number of records for which a full log has a reserve, such as for the record that it is full.
    public static let reserve = 64

    /// Creates a capacity of at least 1 record.
    public init(records: Int, whenFull: WhenFull) {
        self.records = max(records, 1)
        self.whenFull = whenFull
    }

    /// The number of records that one origin may write in a row, and as many a day (`RecordBudget`): so many days pass
    /// before it could turn over a log of this capacity.
    static func share(of records: Int) -> Int { records / 20 }

    /// The number of records dropped at once, since each drop writes the checkpoint.
    var block: Int { max(records / 32, 1) }

    /// Returns how many of `count` records use capacity, where `unproven` of them prove nothing. Those have the
    /// same capacity again: since the chain has no gaps, they are dropped with the records around them, and no other
    /// record is dropped for them before.
    public func taken(_ count: Int, unproven: Int) -> Int { count - min(unproven, records) }

    /// True if a log with `live` records that were not cleared accepts no further grants, where `unproven` of them
    /// prove nothing.
    public func isFull(live: Int, unproven: Int = 0) -> Bool {
        whenFull == .refuse && taken(live, unproven: unproven) >= records
    }

    /// Returns the handling of a record of this kind in a log of `count` records, of which `live` were not cleared.
    /// `unproven` and `liveUnproven` are the numbers of those that prove nothing.
    public func admission(
        of kind: AuditKind, count: Int, live: Int, unproven: Int = 0, liveUnproven: Int = 0
    ) -> Admission {
        let taken = taken(count, unproven: unproven)
        switch whenFull {
        case .overwrite: return taken >= records + block ? .writeDropping(taken - records) : .write
        case .refuse:
            if kind != .logCleared, isFull(live: live, unproven: liveUnproven) {
                let live = self.taken(live, unproven: liveUnproven)
                guard kind.usesReserve, live < records + LogCapacity.reserve else { return .refuse }
            }
            // Cleared records are dropped once their room is needed.
            let surplus = min(count - live, taken - records)
            return surplus >= block ? .writeDropping(surplus) : .write
        }
    }
}
