// SPDX-License-Identifier: Apache-2.0

public import Reader

/// The state of a log.
public struct LogState: Equatable, Sendable {
    /// The place where the log begins: the last record that was removed in order.
    public internal(set) var checkpoint: ChainPlace
    /// The newest record's number; the checkpoint's if there is no record.
    public internal(set) var last: UInt64
    /// The chain value after the newest record.
    public internal(set) var chain: ChainValue
    /// The newest record's kind.
    public internal(set) var lastKind: AuditKind?
    /// The number of records.
    public internal(set) var count: Int
    /// The number of records that were not cleared.
    public internal(set) var live: Int
    /// The number of records that prove nothing, since anyone in range can cause them.
    public internal(set) var unproven: Int
    /// The number of those that were not cleared.
    public internal(set) var liveUnproven: Int
    /// The last record that was cleared; 0 if none was.
    public internal(set) var clearedThrough: UInt64
    /// The time of the newest record whose clock was set, in seconds since 1970; nil without such a record.
    public internal(set) var lastTime: Int64?
    /// A difference, found at opening, from the log as this device left it; nil if there was none.
    public internal(set) var loss: String?

    /// True if a log of this capacity accepts no further grants.
    public func isFull(_ capacity: LogCapacity) -> Bool { capacity.isFull(live: live, unproven: liveUnproven) }

    init(_ connection: Connection) throws(DiskFault) {
        guard let checkpoint = try connection.checkpoint() else { throw .damaged }
        self.checkpoint = checkpoint
        (last, chain, lastKind) = (checkpoint.sequence, checkpoint.chain, nil)
        let newest = try connection.prepare("SELECT sequence, kind, chain FROM event ORDER BY sequence DESC LIMIT 1")
        defer { newest.reset() }
        if try newest.step() {
            guard let value = ChainValue(newest.octets(2)) else { throw .damaged }
            last = UInt64(clamping: newest.integer(0))
            lastKind = AuditKind(rawValue: UInt16(truncatingIfNeeded: newest.integer(1)))
            chain = value
        }
        lastTime = try connection.timeOfNewest()
        clearedThrough = try connection.clearedThrough()
        count = Int(try connection.number("SELECT count(*) FROM event") ?? 0)
        live = try connection.count(after: clearedThrough)
        unproven = try connection.countUnproven(after: 0)
        liveUnproven = try connection.countUnproven(after: clearedThrough)
    }
}
