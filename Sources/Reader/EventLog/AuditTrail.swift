// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Timekeeping

/// The policy of an audit trail.
public struct AuditPolicy: Equatable, Sendable {
    /// True if a grant waits until its record is on the disk.
    public var isStrict: Bool
    /// True if access is granted while the log cannot be written.
    public var grantsWhileFailing: Bool
    /// The time a disk may take before that is a fault.
    public var maximumWait: Duration
    /// The number of records that the log keeps, on which the shares of origins depend.
    public var capacity: Int

    /// Creates a policy. By default a grant waits for at most a second, and there is no access without a record.
    public init(
        isStrict: Bool = true, grantsWhileFailing: Bool = false, maximumWait: Duration = .seconds(1),
        capacity: Int = 10_000
    ) {
        self.capacity = capacity
        self.isStrict = isStrict
        self.grantsWhileFailing = grantsWhileFailing
        self.maximumWait = maximumWait
    }
}

/// The decision about an opening that waited for its record.
public struct OpeningVerdict: Hashable, Sendable {
    /// The opening.
    public var opening: OpeningToken
    /// `ok` opens the door; any other status is the answer to the phone.
    public var status: StatusCode
    /// The number of its record; nil without a record.
    public var sequence: UInt64?

    /// Creates a verdict with these parts.
    public init(opening: OpeningToken, status: StatusCode, sequence: UInt64? = nil) {
        self.opening = opening
        self.status = status
        self.sequence = sequence
    }
}

/// A change of the log's state, reported once.
public enum TrailNotice: Hashable, Sendable {
    /// The log cannot be written.
    case failing(DiskFault)
    /// The log can be written again; this many events were lost.
    case restored(lost: Int32)
    /// The log is full, and `when-full` is to refuse.
    case full
    /// The log has room again.
    case hasRoom
}

/// The path of events into the log as seen from the reactor: openings that wait for the disk, events kept in memory
/// while it fails, and the decisions meanwhile. A value without I/O.
///
/// Events leave by `nextSubmission` and are answered, in any order, by `stored`, `refused` or `failed`. Only openings
/// wait for an answer: with a strict audit the answer is their verdict, or `advance` gives one when the disk has
/// exceeded its time.
public struct AuditTrail: Sendable {
    /// An event to be written to the disk.
    public struct Submission: Hashable, Sendable {
        /// The identifier for the answer.
        public var id: RecordID
        /// The event.
        public var event: AuditEvent
    }

    private struct Entry {
        var id: RecordID
        var event: AuditEvent
        /// The time of submission; nil before.
        var handedOver: Instant?
        /// The opening that waits for the record.
        var opening: OpeningToken?
        /// The end of the opening's wait.
        var deadline: Instant?
    }

    private enum Condition: Equatable {
        case sound
        /// Since the first failure; entries are submitted again at `retryAt`.
        case failing(DiskFault, retryAt: Instant, pause: Duration)
    }

    /// The maximum number of events in memory, in less than 400 KB: more than a burst at a busy door.
    public static let memoryLimit = 1024
    /// The time for which records that prove nothing are gathered into one write. No opening waits for them, and they
    /// may be lost in a power cut.
    static let gathering = Duration.seconds(1)
    /// The first pause before a failing disk is tried again; doubled up to the longest. The end of a fault is found
    /// within the longest, in which people may be refused at a door whose disk works.
    static let firstPause = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(8)
    /// The time after the end of its wait in which an opening may still be granted, where the policy grants without a
    /// record. Later, as after the process was stopped, nothing opens.
    static let lateness = Duration.seconds(1)

    private let policy: AuditPolicy
    private var budget: RecordBudget
    private var entries: [Entry] = []
    /// The end of the time for which submissions are gathered; nil while none is.
    private var gatheringUntil: Instant?
    private var nextID: UInt64 = 1
    private var condition = Condition.sound
    private var isFull = false
    private var lost: Int32 = 0
    private var notices: [TrailNotice] = []

    /// Creates an empty trail.
    public init(_ policy: AuditPolicy) {
        self.policy = policy
        budget = RecordBudget(capacity: policy.capacity)
        // Reserved at once, so that no event waits for an allocation; untouched pages take no memory.
        entries.reserveCapacity(AuditTrail.memoryLimit)
    }

    /// The number of events in memory, including submitted ones.
    public var pending: Int { entries.count }

    /// Records an event, or counts it if it is over the budget of its origin. No opening waits for it.
    public mutating func record(_ event: AuditEvent) {
        if admits(event, counted: true) { append(event) }
    }

    /// Charges an event that is recorded elsewhere; false if it has no room, and is counted.
    public mutating func charge(_ event: AuditEvent) -> Bool { admits(event, counted: true) }

    /// True if an event can be recorded individually now. Otherwise an order that opens or ends a protection is
    /// refused.
    public mutating func hasRoom(for event: AuditEvent) -> Bool {
        defer { appendDisplaced() }
        return budget.hasRoom(for: event)
    }

    private mutating func admits(_ event: AuditEvent, counted: Bool) -> Bool {
        let isAdmitted = budget.admits(event, counted: counted)
        appendDisplaced()
        return isAdmitted
    }

    private mutating func appendDisplaced() { while let count = budget.nextDisplaced() { append(count) } }

    /// Replaces the times of the events that have not been submitted.
    public mutating func restamp(_ restamped: (AuditTime) -> AuditTime) {
        for index in entries.indices where entries[index].handedOver == nil {
            entries[index].event.time = restamped(entries[index].event.time)
        }
    }

    /// Ends the gathering, so that a query finds all records.
    public mutating func stopGathering() { gatheringUntil = nil }

    /// Records the event of an opening.
    ///
    /// - Returns: The immediate decision, where `ok` opens the door; nil if the opening waits for the record.
    public mutating func request(_ opening: OpeningToken, _ event: AuditEvent, at now: Instant) -> StatusCode? {
        if isFull { return refuse(event, .storageFull) }
        let isWritable = condition == .sound && entries.count < AuditTrail.memoryLimit
        if !isWritable, policy.isStrict, !policy.grantsWhileFailing { return refuse(event, .unavailable) }
        // Every opening has its record: one over the budget is refused.
        guard admits(event, counted: false) else { return refuse(event, .unavailable) }
        guard isWritable, policy.isStrict else {
            append(event)
            return .ok
        }
        append(event, opening, deadline: now + policy.maximumWait)
        return nil
    }

    private mutating func refuse(_ event: AuditEvent, _ status: StatusCode) -> StatusCode {
        record(event.changed(to: .denied, info: Int32(status.rawValue)))
        return status
    }

    private mutating func append(_ event: AuditEvent, _ opening: OpeningToken? = nil, deadline: Instant? = nil) {
        guard entries.count < AuditTrail.memoryLimit else {
            // The oldest are kept, since they show the beginning of the fault. The number of dropped events is
            // recorded.
            return countLost(1)
        }
        if !AuditKind.unprovenKinds.contains(event.kind) {
            gatheringUntil = nil
        } else if condition == .sound, entries.allSatisfy({ $0.handedOver != nil }) {
            gatheringUntil = event.time.instant + AuditTrail.gathering
        }
        entries.append(Entry(id: RecordID(nextID), event: event, opening: opening, deadline: deadline))
        nextID &+= 1
    }

    /// Returns the next event for the disk's thread; nil if no event is due.
    public mutating func nextSubmission(at now: Instant) -> Submission? {
        if case .failing(let fault, let retryAt, _) = condition {
            // A stalled disk still has the submitted events, and gets no more.
            guard now >= retryAt, fault != .stalled || entries.allSatisfy({ $0.handedOver == nil }) else { return nil }
        }
        if let gatheringUntil, now < gatheringUntil { return nil }
        gatheringUntil = nil
        guard let index = entries.firstIndex(where: { $0.handedOver == nil }) else { return nil }
        entries[index].handedOver = now
        return Submission(id: entries[index].id, event: entries[index].event)
    }

    /// Returns the next change of the log's state to be reported.
    public mutating func nextNotice() -> TrailNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    /// Ends all waits at the end of the process, after which the door does not move. An opening without a verdict is
    /// withdrawn if its record may be on the disk; otherwise it is recorded as denied.
    @discardableResult public mutating func end(at time: AuditTime) -> [OpeningVerdict] {
        for record in budget.counted(until: nil, time) { append(record) }
        gatheringUntil = nil
        return entries.indices.compactMap { refuseWaiting($0, .aborted) }
    }

    // MARK: Answers

    /// Handles the answer that the event is on the disk. `isFull` is true if the log accepts no further grants.
    ///
    /// - Returns: The event, and the verdict on the opening that waited for it; nil for an event that was not
    ///   submitted.
    public mutating func stored(
        _ id: RecordID, isFull: Bool, at now: Instant, _ time: AuditTime
    ) -> (event: AuditEvent, verdict: OpeningVerdict?)? {
        setFull(isFull)
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        // An answer can be read late, as after the process was stopped.
        var verdict = entries[index].deadline.flatMap { $0 <= now ? endWaiting(index, at: now) : nil }
        let entry = entries.remove(at: index)
        if let opening = entry.opening { verdict = OpeningVerdict(opening: opening, status: .ok) }
        // A nearly full disk accepts a small write after a large one has failed, which is not the end of the fault.
        // After a stall nothing has failed.
        if case .failing(let fault, _, _) = condition, fault == .stalled || entries.allSatisfy({ $0.handedOver != nil })
        {
            restored(at: time)
        }
        recordLoss(at: time)
        return (entry.event, verdict)
    }

    /// Handles the answer that the log is full and did not accept the event.
    public mutating func refused(_ id: RecordID) -> OpeningVerdict? {
        setFull(true)
        guard let entry = removeEntry(id) else { return nil }
        countLost(entry.event.kind == .eventsLost ? entry.event.info : 1)
        return entry.opening.map { OpeningVerdict(opening: $0, status: .storageFull) }
    }

    /// Handles the answer that the disk failed to store the event. It is kept, and submitted again later.
    public mutating func failed(
        _ id: RecordID, _ fault: DiskFault, at now: Instant, _ time: AuditTime
    ) -> OpeningVerdict? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        entries[index].handedOver = nil
        fail(fault, at: now, time)
        return endWaiting(index, at: now)
    }

    /// Sets whether the log is full and accepts no further grants.
    public mutating func setFull(_ full: Bool) {
        guard full != isFull else { return }
        isFull = full
        notices.append(full ? .full : .hasRoom)
    }

    private mutating func removeEntry(_ id: RecordID) -> Entry? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0) }
    }

    /// Ends the wait of an opening whose record was not written in time.
    private mutating func endWaiting(_ index: Int, at now: Instant) -> OpeningVerdict? {
        let isLate = entries[index].deadline.map { $0 + AuditTrail.lateness <= now } ?? false
        guard policy.grantsWhileFailing, !isLate else { return refuseWaiting(index, .unavailable) }
        return stopWaiting(index).map { OpeningVerdict(opening: $0, status: .ok) }
    }

    private mutating func stopWaiting(_ index: Int) -> OpeningToken? {
        defer { (entries[index].opening, entries[index].deadline) = (nil, nil) }
        return entries[index].opening
    }

    private mutating func refuseWaiting(_ index: Int, _ status: StatusCode) -> OpeningVerdict? {
        guard let opening = stopWaiting(index) else { return nil }
        if entries[index].handedOver == nil {
            // Nothing was written: the final result is recorded.
            entries[index].event = entries[index].event.changed(to: .denied, info: Int32(status.rawValue))
        } else {
            // The record may be on the disk as a grant.
            record(entries[index].event.changed(to: .withdrawn, info: Int32(status.rawValue)))
        }
        return OpeningVerdict(opening: opening, status: status)
    }

    private mutating func fail(_ fault: DiskFault, at now: Instant, _ time: AuditTime) {
        gatheringUntil = nil
        switch condition {
        case .sound:
            condition = .failing(fault, retryAt: now + AuditTrail.firstPause, pause: AuditTrail.firstPause)
            notices.append(.failing(fault))
            record(AuditEvent(.diskFailed, at: time, info: fault.rawValue))
        case .failing(let former, let retryAt, let pause):
            // All events of one attempt fail together: one pause.
            guard now >= retryAt || former == .stalled else { return }
            let longer = min(pause * 2, AuditTrail.longestPause)
            condition = .failing(fault, retryAt: now + longer, pause: longer)
            if former != fault { notices.append(.failing(fault)) }
        }
    }

    private mutating func restored(at time: AuditTime) {
        condition = .sound
        notices.append(.restored(lost: lost))
        record(AuditEvent(.diskRestored, at: time))
    }

    private mutating func countLost(_ count: Int32) {
        let (sum, overflow) = lost.addingReportingOverflow(count)
        lost = overflow ? .max : sum
    }

    /// Records the number of lost events as soon as there is room.
    private mutating func recordLoss(at time: AuditTime) {
        guard lost > 0, !isFull, entries.count < AuditTrail.memoryLimit else { return }
        let count = lost
        lost = 0
        record(AuditEvent(.eventsLost, at: time, info: count))
    }

    // MARK: Time

    /// The time of the next call of `advance`; nil if nothing is due.
    public var nextDeadline: Instant? {
        var earliest = Instant.earlier(gatheringUntil, budget.nextDeadline)
        if case .failing(let fault, let retryAt, _) = condition {
            let mayRetry = fault != .stalled || entries.allSatisfy { $0.handedOver == nil }
            if mayRetry, entries.contains(where: { $0.handedOver == nil }) {
                earliest = Instant.earlier(earliest, retryAt)
            }
        } else if let oldest = entries.first?.handedOver {
            earliest = Instant.earlier(earliest, oldest + policy.maximumWait)
        }
        for entry in entries { earliest = Instant.earlier(earliest, entry.deadline) }
        return earliest
    }

    /// Detects a disk that exceeds its time, ends the waits that are due, and records counts of attempts.
    public mutating func advance(to now: Instant, _ time: AuditTime) -> [OpeningVerdict] {
        for record in budget.counted(until: now, time) { append(record) }
        if condition == .sound, let oldest = entries.first?.handedOver, now - oldest >= policy.maximumWait {
            fail(.stalled, at: now, time)
        }
        // Entries appended meanwhile have no opening that waits.
        return entries.indices.compactMap { index in
            guard let deadline = entries[index].deadline, deadline <= now else { return nil }
            return endWaiting(index, at: now)
        }
    }
}
