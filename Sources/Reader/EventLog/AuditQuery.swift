public import AccessProtocol

/// Which records are asked for.
public struct AuditQuery: Equatable, Sendable {
    /// The numbers that are looked at.
    public var range: ClosedRange<UInt64>
    /// The kinds; empty for all.
    public var kinds: Set<AuditKind>
    /// The most records to answer with.
    public var limit: Int
    /// Whether the newest come first; else the oldest.
    public var isNewestFirst: Bool
    /// Whether records from before the last clearing are shown as well.
    public var includesCleared: Bool

    /// The highest number that SQLite keeps.
    public static let lastSequence = UInt64(Int64.max)

    /// Records in this range, oldest first.
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

    /// The newest records, newest first.
    public static func newest(_ count: Int) -> AuditQuery { AuditQuery(limit: count, isNewestFirst: true) }

    /// What a phone asks for by `EV_QUERY`; never more than fit its answer. Without a start, the oldest.
    public init(_ query: EventLogQuery) {
        self.init(limit: Int(min(query.maxCount, UInt32(EventLogResult.eventsLimit))))
        switch query.start {
        case .sequenceId(let first): range = UInt64(first)...AuditQuery.lastSequence
        case .fromHead(let isNewestFirst): self.isNewestFirst = isNewestFirst
        case nil: break
        }
    }
}
