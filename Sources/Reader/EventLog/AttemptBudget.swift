// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The limits on records of attempts at the door.
///
/// Anyone in range can make attempts at will, and so can the bearer of a refused credential. Their records therefore
/// come out of token buckets; an attempt without room in its bucket is only counted, and one record later states the
/// count. Attempts that prove nothing share one bucket, since their senders cannot be told apart; refusals of a proven
/// credential have a bucket for each credential, command and reason.
struct AttemptBudget: Sendable {
    /// The bucket size for attempts that prove nothing: more than a misconfigured app causes.
    static let unproven = 16
    /// The bucket size for one refusal of one credential: more than a legitimate user causes.
    static let ofCredential = 64
    /// The time in which a bucket gains room for one record, and after which a count is recorded: at most 288 records a
    /// day from a bucket that never rests.
    static let interval = Duration.seconds(600)
    /// The maximum number of buckets, in less than 100 KB: an issuer signs every credential identifier among them. The
    /// bucket that was idle for longest is replaced.
    static let capacity = 256

    private struct Bucket {
        /// The newest attempt.
        var event: AuditEvent
        var room: Int
        /// The time at which `room` was computed.
        var filled: Instant
        var suppressed: Int32 = 0
        /// The time at which `suppressed` is recorded; nil while it is 0.
        var due: Instant?

        init(_ event: AuditEvent) {
            self.event = event
            room = Bucket.size(for: event)
            filled = event.time.instant
        }

        static func size(for event: AuditEvent) -> Int {
            event.kind == .unproven ? AttemptBudget.unproven : AttemptBudget.ofCredential
        }

        func holds(_ other: AuditEvent) -> Bool {
            guard other.kind == event.kind else { return false }
            return other.kind == .unproven
                || other.credential == event.credential && other.command == event.command && other.info == event.info
        }

        /// Counts the attempt; true if it gets a record of its own.
        mutating func take(_ attempt: AuditEvent) -> Bool {
            event = attempt
            let now = attempt.time.instant
            let size = Bucket.size(for: event)
            // A full bucket gains nothing: its time is reset.
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

        /// Returns the record of the count and resets it; nil if it is 0.
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

    /// Returns the records for the event: itself or none, preceded by the count of a bucket that it replaces.
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

    /// Returns the records of the counts due at `now`; of all counts if `now` is nil.
    mutating func counted(until now: Instant?, _ time: AuditTime) -> [AuditEvent] {
        var records: [AuditEvent] = []
        for index in buckets.indices {
            guard let due = buckets[index].due, now.map({ due <= $0 }) ?? true else { continue }
            if let record = buckets[index].count(at: time) { records.append(record) }
        }
        return records
    }

    /// The time of the next due count.
    var nextDeadline: Instant? { buckets.reduce(nil) { Instant.earlier($0, $1.due) } }
}

extension AuditKind {
    /// True for kinds that an attempt at the door can cause repeatedly without access.
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
