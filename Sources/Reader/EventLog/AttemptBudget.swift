import Timekeeping

/// How many records attempts at the door may cost.
///
/// Anybody in range can make attempts at will, and so can anybody with a credential that is refused: their records come
/// out of buckets, and what a bucket has no room for is counted. One record then says how many. What proves nothing has
/// one bucket for all, since nothing tells one stranger from another; what is refused to a proven credential has one for
/// each credential, command and reason.
struct AttemptBudget: Sendable {
    /// Records in a row of what proves nothing: more than a misconfigured app at the door causes.
    static let ofStrangers = 16
    /// Records in a row of one thing that is refused to one credential: more than anybody tries who means to come in.
    static let ofCredential = 64
    /// A bucket gets room for one record more in this time, and what was counted is recorded as often: of a bucket that
    /// is never left alone 288 records a day.
    static let interval = Duration.seconds(600)
    /// So many denials are told apart, in less than 100 KB: an issuer signs every name among them. The one that was
    /// quiet for longest makes room.
    static let capacity = 256

    private struct Bucket {
        /// The newest attempt.
        var event: AuditEvent
        var room: Int
        /// When `room` was right.
        var filled: Instant
        var suppressed: Int32 = 0
        /// When `suppressed` is recorded; nil while it is 0.
        var due: Instant?

        init(_ event: AuditEvent) {
            self.event = event
            room = Bucket.size(for: event)
            filled = event.time.instant
        }

        static func size(for event: AuditEvent) -> Int {
            event.kind == .unproven ? AttemptBudget.ofStrangers : AttemptBudget.ofCredential
        }

        func holds(_ other: AuditEvent) -> Bool {
            guard other.kind == event.kind else { return false }
            return other.kind == .unproven
                || other.credential == event.credential && other.command == event.command && other.info == event.info
        }

        /// Whether the attempt gets a record of its own.
        mutating func take(_ attempt: AuditEvent) -> Bool {
            event = attempt
            let now = attempt.time.instant
            let size = Bucket.size(for: event)
            // A bucket that is full after that is filled now.
            while room < size, filled + AttemptBudget.interval <= now {
                room += 1
                filled = filled + AttemptBudget.interval
            }
            if room == size { filled = now }
            guard room > 0 else {
                suppressed = suppressed == .max ? .max : suppressed + 1
                due = due ?? now + AttemptBudget.interval
                return false
            }
            room -= 1
            return true
        }

        /// The record of what was counted; nil if nothing was.
        mutating func count(at time: AuditTime) -> AuditEvent? {
            guard suppressed > 0 else { return nil }
            defer { (suppressed, due) = (0, nil) }
            guard event.kind != .unproven else { return AuditEvent(.unprovenSuppressed, at: time, info: suppressed) }
            return AuditEvent(
                .denialsSuppressed, at: time, info: suppressed, channel: event.channel, credential: event.credential,
                command: event.command, detail: "\(event.kind.name) \(event.info)")
        }
    }

    private var buckets: [Bucket] = []

    /// What is to be recorded of the event: itself or nothing, and before it what was counted of another that makes room.
    mutating func records(of event: AuditEvent) -> [AuditEvent] {
        guard event.kind.isAttempt else { return [event] }
        var records: [AuditEvent] = []
        let index = buckets.firstIndex { $0.holds(event) }
        if index == nil, buckets.count == AttemptBudget.capacity,
            let quietest = buckets.indices.min(by: {
                buckets[$0].event.time.instant < buckets[$1].event.time.instant
            })
        {
            if let count = buckets[quietest].count(at: event.time) { records.append(count) }
            buckets.remove(at: quietest)
        }
        if index == nil { buckets.append(Bucket(event)) }
        if buckets[index ?? buckets.count - 1].take(event) { records.append(event) }
        return records
    }

    /// What was counted and is due at `now`; all of it, if there is no time.
    mutating func counted(until now: Instant?, _ time: AuditTime) -> [AuditEvent] {
        var records: [AuditEvent] = []
        for index in buckets.indices {
            guard let due = buckets[index].due, now.map({ due <= $0 }) ?? true else { continue }
            if let record = buckets[index].count(at: time) { records.append(record) }
        }
        return records
    }

    /// When `counted` has something next.
    var nextDeadline: Instant? { buckets.reduce(nil) { Instant.earlier($0, $1.due) } }
}

extension AuditKind {
    /// Whether somebody at the door can cause it again and again, and is let in by none of it.
    var isAttempt: Bool {
        switch self {
        case .denied, .unproven, .credentialBlacklisted, .blacklistFull: true
        default: false
        }
    }
}

extension AuditTime {
    /// The instant on the monotonic clock.
    var instant: Instant { Instant(nanoseconds: uptimeMilliseconds * 1_000_000) }
}
