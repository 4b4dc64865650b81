// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol

/// A query for records.
public struct AuditQuery: Equatable, Sendable {
    /// The range of sequence numbers.
    public var range: ClosedRange<UInt64>
    /// The kinds of interest; empty for all.
    public var kinds: Set<AuditKind>
    /// The maximum number of records.
    public var limit: Int
    /// True for the newest first, false for the oldest first.
    public var isNewestFirst: Bool
    /// True to include records from before the last clearing.
    public var includesCleared: Bool

    /// The highest sequence number that SQLite can store.
    public static let lastSequence = UInt64(Int64.max)

    /// Creates a query for records in this range, oldest first.
    public init(
        _ range: ClosedRange<UInt64> = 1...AuditQuery.lastSequence, kinds: Set<AuditKind> = [], limit: Int = .max,
        isNewestFirst: Bool = false, includesCleared: Bool = false
    ) {
        self.range = range
        self.kinds = kinds
        self.limit = limit
        self.isNewestFirst = isNewestFirst
        self.includesCleared = includesCleared
    }

    /// The query for the newest records, newest first.
    public static func newest(_ count: Int) -> AuditQuery { AuditQuery(limit: count, isNewestFirst: true) }

    /// Creates the query from a phone's `EV_QUERY`, limited to the size of an answer. Without a start, the oldest
    /// first.
    public init(_ query: EventLogQuery) {
        self.init(limit: Int(min(query.maxCount, UInt32(EventLogResult.eventsLimit))))
        switch query.start {
        case .sequenceId(let first): range = UInt64(first)...AuditQuery.lastSequence
        case .fromHead(let isNewestFirst): self.isNewestFirst = isNewestFirst
        case nil: break
        }
    }
}
