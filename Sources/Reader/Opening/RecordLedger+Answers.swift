// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Timekeeping

/// The answers of the disk, and the ends of waits without one.
extension RecordLedger {
    /// The first pause before a failing disk is tried again; doubled up to the longest. The end of a fault is found
    /// within the longest, in which people may be refused at a door whose disk works.
    static let firstPause = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(8)
    /// The time after the end of its wait in which an opening may still be granted, where the policy grants without a
    /// record. Later, as after the process was stopped, nothing opens.
    static let lateness = Duration.seconds(1)

    /// Handles the answer that the event is on the disk, under this number. `isFull` is true if the log accepts no
    /// further grants.
    ///
    /// - Returns: The event; nil for one that was not submitted.
    @discardableResult public mutating func stored(
        _ id: RecordID, sequence: UInt64? = nil, isFull: Bool, at now: Instant, _ time: AuditTime
    ) -> AuditEvent? {
        setFull(isFull)
        guard let index = index(id) else { return nil }
        let event = entries[index].event
        entries[index].sequence = sequence
        if let deadline = entries[index].deadline {
            // An answer can be read late, as after the process was stopped.
            if deadline <= now { endWaiting(index, at: now) } else { decide(index, .ok) }
        }
        endRecord(index)
        // A nearly full disk accepts a small write after a large one has failed, which is not the end of the fault.
        // After a stall nothing has failed.
        if fault == .stalled || (fault != nil && !hasKept) { restored(at: time) }
        recordLoss(at: time)
        return event
    }

    /// Handles the answer that the log is full and did not accept the event.
    public mutating func refused(_ id: RecordID) {
        setFull(true)
        guard let index = index(id) else { return }
        let event = entries[index].event
        countLost(event.kind == .eventsLost ? event.info : 1)
        if entries[index].deadline != nil { decide(index, .storageFull) }
        endRecord(index)
    }

    /// Handles the answer that the disk failed to store the event. It is kept, and submitted again later.
    public mutating func failed(_ id: RecordID, _ fault: DiskFault, at now: Instant, _ time: AuditTime) {
        guard let index = index(id) else { return }
        entries[index].state = .kept
        fail(fault, at: now, time)
        if entries[index].deadline != nil { endWaiting(index, at: now) }
    }

    private func index(_ id: RecordID) -> Int? { entries.firstIndex { $0.id == id && $0.state != .over } }

    private mutating func endRecord(_ index: Int) {
        entries[index].state = .over
        if entries[index].opening == nil { entries.remove(at: index) }
    }

    private mutating func decide(_ index: Int, _ status: StatusCode) {
        (entries[index].deadline, entries[index].verdict) = (nil, status)
    }

    /// Ends the wait of an opening whose record was not written in time.
    private mutating func endWaiting(_ index: Int, at now: Instant) {
        let isLate = entries[index].deadline.map { $0 + RecordLedger.lateness <= now } ?? false
        if policy.grantsWhileFailing, !isLate { decide(index, .ok) } else { refuse(index, .unavailable) }
    }

    private mutating func refuse(_ index: Int, _ status: StatusCode) {
        decide(index, status)
        if entries[index].isKept {
            // Nothing was written: the final result is recorded.
            entries[index].event = entries[index].event.changed(to: .denied, info: Int32(status.rawValue))
        } else {
            // The record may be on the disk as a grant.
            record(entries[index].event.changed(to: .withdrawn, info: Int32(status.rawValue)))
        }
    }

    private mutating func fail(_ fault: DiskFault, at now: Instant, _ time: AuditTime) {
        gatheringUntil = nil
        switch condition {
        case .sound:
            condition = .failing(fault, retryAt: now + RecordLedger.firstPause, pause: RecordLedger.firstPause)
            notices.append(.failing(fault))
            record(AuditEvent(.diskFailed, at: time, info: fault.rawValue))
        case .failing(let former, let retryAt, let pause):
            // All events of one attempt fail together: one pause.
            guard now >= retryAt || former == .stalled else { return }
            let longer = min(pause * 2, RecordLedger.longestPause)
            condition = .failing(fault, retryAt: now + longer, pause: longer)
            if former != fault { notices.append(.failing(fault)) }
        }
    }

    private mutating func restored(at time: AuditTime) {
        condition = .sound
        notices.append(.restored(lost: lost))
        record(AuditEvent(.diskRestored, at: time))
    }

    /// Records the number of lost events as soon as there is room.
    private mutating func recordLoss(at time: AuditTime) {
        guard lost > 0, !isFull, pending < RecordLedger.memoryLimit else { return }
        let count = lost
        lost = 0
        record(AuditEvent(.eventsLost, at: time, info: count))
    }

    // MARK: Time

    /// The time of the next call of `advance`; nil if nothing is due.
    public var nextDeadline: Instant? {
        var earliest = Instant.earlier(gatheringUntil, budget.nextDeadline)
        if case .failing(let fault, let retryAt, _) = condition {
            if fault != .stalled || !hasSubmitted, hasKept { earliest = Instant.earlier(earliest, retryAt) }
        } else if let oldest = oldestSubmission {
            earliest = Instant.earlier(earliest, oldest + policy.maximumWait)
        }
        for entry in entries { earliest = Instant.earlier(earliest, entry.deadline) }
        return earliest
    }

    /// The time of submission of the oldest event; nil if the disk has none.
    private var oldestSubmission: Instant? { entries.first { $0.state != .over }?.submittedAt }

    /// Detects a disk that exceeds its time, ends the waits that are due, and records counts of attempts.
    public mutating func advance(to now: Instant, _ time: AuditTime) {
        for record in budget.counted(until: now, time) { append(record) }
        if condition == .sound, let oldest = oldestSubmission, now - oldest >= policy.maximumWait {
            fail(.stalled, at: now, time)
        }
        // Entries appended meanwhile have no opening that waits.
        for index in entries.indices {
            if let deadline = entries[index].deadline, deadline <= now { endWaiting(index, at: now) }
        }
    }

    /// Ends all waits at the end of the process, after which the door does not move. An opening without a verdict is
    /// withdrawn if its record may be on the disk; otherwise it is recorded as denied.
    public mutating func end(at time: AuditTime) {
        for record in budget.counted(until: nil, time) { append(record) }
        gatheringUntil = nil
        for index in entries.indices where entries[index].deadline != nil { refuse(index, .aborted) }
    }
}
