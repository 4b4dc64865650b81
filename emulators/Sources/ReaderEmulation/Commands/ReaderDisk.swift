// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Timekeeping

/// The event log of an emulated reader: the firmware's audit trail, on records in memory, and a disk that fails on
/// command.
public struct ReaderDisk {
    /// The condition of the disk.
    public enum Condition: String, CaseIterable, Equatable, Sendable {
        /// It works.
        case sound
        /// There is no room: grants are refused with −8.
        case full
        /// Every write fails: grants are refused with −21.
        case failing
        /// Writes are not answered: grants are refused with −21 after a second.
        case slow
    }

    /// The maximum number of records; the oldest make room.
    static let capacity = 1000
    /// The number of events that a phone may take along.
    private static let carried = 64

    private(set) var condition = Condition.sound
    private var trail = AuditTrail(AuditPolicy())
    private var records: [AuditRecord] = []
    private var last: UInt64 = 0
    private var cleared: UInt64 = 0
    /// The records that a slow disk has not answered.
    private var unanswered: [AuditTrail.Submission] = []
    /// The requests that a slow disk has not answered.
    private var requests: [StorageRequest] = []
    /// True if records have been added since `takeCarried`.
    private var haveChanged = false

    /// Changes the condition, and returns the requests that the disk answers now.
    mutating func change(to condition: Condition) -> [StorageRequest] {
        self.condition = condition
        trail.setFull(condition == .full)
        defer { requests.removeAll() }
        return condition == .slow ? [] : requests
    }

    /// The changes of the log's state since the last call, as text.
    mutating func takeNotices() -> [String] {
        var texts: [String] = []
        while let notice = trail.nextNotice() {
            switch notice {
            case .failing(let fault): texts.append("event log: \(fault.summary)")
            case .restored: texts.append("event log: the disk works again")
            case .full: texts.append("event log: full, grants are refused")
            case .hasRoom: texts.append("event log: has room again")
            }
        }
        return texts
    }

    // MARK: - Records

    mutating func record(_ event: AuditEvent) { trail.record(event) }

    /// Records the event of an opening; returns the decision if it does not wait.
    mutating func open(_ opening: OpeningToken, _ event: AuditEvent, at now: Instant) -> StatusCode? {
        trail.request(opening, event, at: now)
    }

    /// Writes what is due, and returns the openings that this decides.
    mutating func write(at now: Instant, _ time: AuditTime) -> [OpeningVerdict] {
        var verdicts: [OpeningVerdict] = []
        if condition != .slow {
            let waiting = unanswered
            unanswered.removeAll()
            for submission in waiting { if let verdict = write(submission, at: now, time) { verdicts.append(verdict) } }
        }
        while let submission = trail.nextSubmission(at: now) {
            if let verdict = write(submission, at: now, time) { verdicts.append(verdict) }
        }
        return verdicts
    }

    private mutating func write(
        _ submission: AuditTrail.Submission, at now: Instant, _ time: AuditTime
    ) -> OpeningVerdict? {
        switch condition {
        case .sound:
            last += 1
            records.append(AuditRecord(sequence: last, event: submission.event))
            if records.count > ReaderDisk.capacity { records.removeFirst() }
            haveChanged = true
            return trail.stored(submission.id, isFull: false, at: now, time)?.verdict
        case .full: return trail.refused(submission.id)
        case .failing: return trail.failed(submission.id, .inputOutput, at: now, time)
        case .slow:
            unanswered.append(submission)
            return nil
        }
    }

    mutating func advance(to now: Instant, _ time: AuditTime) -> [OpeningVerdict] { trail.advance(to: now, time) }

    var deadline: Instant? { trail.nextDeadline }

    /// The events that a phone may take along, if they have changed.
    mutating func takeCarried() -> [Event]? {
        defer { haveChanged = false }
        return haveChanged ? records.suffix(ReaderDisk.carried).map(\.phoneEvent) : nil
    }

    // MARK: - Requests

    /// Answers a request of a phone's command; nil while a slow disk does not.
    mutating func answer(_ request: StorageRequest) -> StorageAnswer? {
        switch condition {
        case .sound: break
        case .full:
            switch request.work {
            case .counters, .events, .systemLines: break
            default: return .failed(.storageFull)
            }
        case .failing: return .failed(.unavailable)
        case .slow:
            requests.append(request)
            return nil
        }
        switch request.work {
        case .counters: return .counters(counters)
        case .events(let query): return .events(records(query))
        case .clearEvents(let event):
            cleared = last
            trail.record(event)
            return .done
        case .systemLines: return .systemLines([])
        case .clearSystemLines, .blacklist, .setting, .clock: return .done
        }
    }

    private var counters: LogCounters {
        var counters = LogCounters()
        counters.eventLimit = UInt32(ReaderDisk.capacity)
        counters.events = UInt32(records.count { $0.sequence > cleared })
        counters.lastEvent = last
        return counters
    }

    private func records(_ query: AuditQuery) -> [AuditRecord] {
        var found = records.filter { record in
            query.range.contains(record.sequence) && (query.includesCleared || record.sequence > cleared)
                && (query.kinds.isEmpty || query.kinds.contains(record.event.kind))
        }
        if query.isNewestFirst { found.reverse() }
        return Array(found.prefix(query.limit))
    }
}
