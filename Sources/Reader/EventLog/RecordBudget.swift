// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The limits on records of the event log, by origin (`RecordOrigin`).
///
/// No party, trusted or not, may overwrite the log or fill it. Records therefore come out of token buckets; an event
/// without room in its bucket is only counted, and one record later states the count. An opening is not counted: it is
/// refused instead (`RecordLedger.request`), so that every opening has its record.
struct RecordBudget: Sendable {
    /// The pace of a bucket's records.
    typealias Pace = TokenBucket.Pace

    /// Attempts that prove nothing: more than a misconfigured app causes.
    static let unproven = Pace(size: 16, interval: .seconds(600))
    /// One refusal of one credential: more than a legitimate user causes.
    static let refusal = Pace(size: 64, interval: .seconds(600))
    /// The refusals of one credential that have a bucket each; further ones share the last.
    static let refusalsApart = 4
    /// The time after which a count is recorded: at most 144 counts a day of a bucket that never rests.
    static let countInterval = Duration.seconds(600)
    /// The maximum number of buckets, in less than 100 KB. The bucket that was idle for longest is replaced,
    /// but never the bucket of a whole channel: many names would give it room again.
    static let capacity = 256

    private struct Bucket {
        let origin: RecordOrigin
        /// The newest event.
        var event: AuditEvent
        var tokens: TokenBucket
        var suppressed = SuppressedRecords()
        /// The time at which `suppressed` is recorded; nil while it is empty.
        var due: Instant?

        init(_ origin: RecordOrigin, _ pace: Pace, _ event: AuditEvent) {
            (self.origin, self.event) = (origin, event)
            tokens = TokenBucket(pace, at: event.time.instant)
        }

        /// True if this bucket is replaced before the other: parties before whole channels, then by idle time, the
        /// longest first.
        func yields(before other: Bucket) -> Bool {
            guard origin.isWhole == other.origin.isWhole else { return other.origin.isWhole }
            return event.time.instant < other.event.time.instant
        }

        mutating func count(_ event: AuditEvent) {
            self.event = event
            suppressed.add(event)
            due = due ?? event.time.instant + RecordBudget.countInterval
        }

        /// Returns the record of the count and resets it; nil if nothing was counted.
        mutating func takeCount(at time: AuditTime) -> AuditEvent? {
            guard !suppressed.isEmpty else { return nil }
            defer { (suppressed, due) = (SuppressedRecords(), nil) }
            return suppressed.record(of: origin, newest: event, at: time)
        }
    }

    /// The paces of one party's commands, openings and inputs.
    private let commands: Pace
    private let openings: Pace
    private var buckets: [Bucket] = []
    /// Counts of replaced buckets.
    private var displaced: [AuditEvent] = []

    /// A budget for a log of so many records.
    init(capacity: Int) {
        let share = LogCapacity.share(of: capacity)
        commands = Pace(size: min(max(share, 8), 64), interval: .seconds(600))
        let openings = max(share, 64)
        self.openings = Pace(size: openings, interval: .seconds(86_400 / openings))
        // Reserved at once, since an opening may begin a bucket.
        buckets.reserveCapacity(RecordBudget.capacity)
    }

    /// True if so many events like this one may have records now; nothing is charged.
    mutating func hasRoom(for event: AuditEvent, count: Int = 1) -> Bool {
        guard let origin = RecordOrigin(event) else { return true }
        if let whole = origin.whole, buckets[index(whole, event)].tokens.room < count { return false }
        return buckets[index(origin, event)].tokens.room >= count
    }

    /// Charges an event; false if it has no room and therefore no record. Then it is counted, unless it is refused.
    mutating func admits(_ event: AuditEvent, counted: Bool = true) -> Bool {
        guard let origin = RecordOrigin(event) else { return true }
        // The bucket of the whole channel first: without room there, no party of it gets a bucket or a count.
        let whole = origin.whole.map { self.index($0, event) }
        if let whole, buckets[whole].tokens.room == 0 {
            if counted { buckets[whole].count(event) }
            return false
        }
        let index = index(origin, event)
        buckets[index].event = event
        guard buckets[index].tokens.spend() else {
            if counted { buckets[index].count(event) }
            return false
        }
        // It keeps its place: only buckets of parties are replaced.
        if let whole { _ = buckets[whole].tokens.spend() }
        return true
    }

    /// Returns the next count of a bucket that was replaced, to be recorded before the event that replaced it.
    mutating func nextDisplaced() -> AuditEvent? { displaced.popLast() }

    /// Returns the records of the counts due at `now`; of all counts if `now` is nil.
    mutating func counted(until now: Instant?, _ time: AuditTime) -> [AuditEvent] {
        var records: [AuditEvent] = []
        for index in buckets.indices {
            guard let due = buckets[index].due, now.map({ due <= $0 }) ?? true else { continue }
            if let record = buckets[index].takeCount(at: time) { records.append(record) }
        }
        return records
    }

    /// The time of the next due count.
    var nextDeadline: Instant? { buckets.reduce(nil) { Instant.earlier($0, $1.due) } }

    /// Returns the bucket of an origin with its present room, which may be a new one.
    private mutating func index(_ origin: RecordOrigin, _ event: AuditEvent) -> Int {
        var found: Int?
        var alike = (count: 0, last: 0)
        for index in buckets.indices where buckets[index].origin.isAlike(origin) {
            if buckets[index].origin == origin { found = index }
            alike = (alike.count + 1, index)
        }
        if found == nil, origin.isRefusal, alike.count >= RecordBudget.refusalsApart { found = alike.last }
        let index = found ?? begin(origin, event)
        buckets[index].tokens.refill(at: event.time.instant)
        return index
    }

    private mutating func begin(_ origin: RecordOrigin, _ event: AuditEvent) -> Int {
        let bucket = Bucket(origin, pace(of: origin), event)
        guard buckets.count == RecordBudget.capacity,
            let quietest = buckets.indices.min(by: { buckets[$0].yields(before: buckets[$1]) })
        else {
            buckets.append(bucket)
            return buckets.count - 1
        }
        if let count = buckets[quietest].takeCount(at: event.time) { displaced.append(count) }
        buckets[quietest] = bucket
        return quietest
    }

    private func pace(of origin: RecordOrigin) -> Pace {
        switch origin {
        case .strangers: RecordBudget.unproven
        // Lockouts, which refused attempts cause.
        case .input(let kind) where AuditKind.unprovenKinds.contains(kind): RecordBudget.unproven
        case .refusal: RecordBudget.refusal
        case .questions, .orders, .reader: commands
        case .openings, .input: openings
        case .allOrders: Pace(size: commands.size * 2, interval: commands.interval / 2)
        case .allOpenings: Pace(size: openings.size * 2, interval: openings.interval / 2)
        }
    }
}

extension AuditTime {
    /// The instant on the monotonic clock.
    var instant: Instant { Instant(nanoseconds: uptimeMilliseconds * 1_000_000) }
}
