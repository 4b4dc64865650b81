// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Reader
import Timekeeping

/// The event log of an emulated reader: the records of the firmware's ledger in memory, and a disk that fails on
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
    private var records: [AuditRecord] = []
    private var last: UInt64 = 0
    private var cleared: UInt64 = 0
    /// The records that a slow disk has not answered.
    private var unanswered: [RecordLedger.Submission] = []
    /// The requests that a slow disk has not answered.
    private var requests: [StorageRequest] = []
    /// True if records have been added since `takeCarried`.
    private var haveChanged = false

    /// Changes the condition, and returns the requests that the disk answers now.
    mutating func change(to condition: Condition, _ ledger: inout RecordLedger) -> [StorageRequest] {
        self.condition = condition
        ledger.setFull(condition == .full)
        defer { requests.removeAll() }
        return condition == .slow ? [] : requests
    }

    // MARK: - Records

    /// Writes the records that are due.
    mutating func write(_ ledger: inout RecordLedger, at now: Instant, _ time: AuditTime) {
        if condition != .slow {
            let waiting = unanswered
            unanswered.removeAll()
            for submission in waiting { write(submission, &ledger, at: now, time) }
        }
        while let submission = ledger.nextSubmission(at: now) { write(submission, &ledger, at: now, time) }
    }

    private mutating func write(
        _ submission: RecordLedger.Submission, _ ledger: inout RecordLedger, at now: Instant, _ time: AuditTime
    ) {
        switch condition {
        case .sound:
            last += 1
            records.append(AuditRecord(sequence: last, event: submission.event))
            if records.count > ReaderDisk.capacity { records.removeFirst() }
            haveChanged = true
            ledger.stored(submission.id, isFull: false, at: now, time)
        case .full: ledger.refused(submission.id)
        case .failing: ledger.failed(submission.id, .inputOutput, at: now, time)
        case .slow: unanswered.append(submission)
        }
    }

    /// The events that a phone may take along, if they have changed.
    mutating func takeCarried() -> [Event]? {
        defer { haveChanged = false }
        return haveChanged ? records.suffix(ReaderDisk.carried).map(\.phoneEvent) : nil
    }

    // MARK: - Requests

    /// Answers a request of a phone's command; nil while a slow disk does not.
    mutating func answer(_ request: StorageRequest, _ ledger: inout RecordLedger) -> StorageAnswer? {
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
            ledger.record(event)
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

extension LogNotice {
    /// The line of the timeline.
    var text: String {
        switch self {
        case .failing(let fault): "event log: \(fault)"
        case .restored: "event log: the disk works again"
        case .full: "event log: full, grants are refused"
        case .hasRoom: "event log: has room again"
        }
    }
}
