public import AccessProtocol
public import Timekeeping

/// What the trail is told once.
public struct AuditPolicy: Equatable, Sendable {
    /// Whether a grant waits until its record is on the disk.
    public var isStrict: Bool
    /// Whether people are let in while the log cannot be written.
    public var letsInWhileFailing: Bool
    /// How long a disk may take before that counts as a fault.
    public var maximumWait: Duration

    /// A policy; by default a grant waits at most a second, and nobody is let in unrecorded.
    public init(
        isStrict: Bool = true, letsInWhileFailing: Bool = false, maximumWait: Duration = .seconds(1)
    ) {
        self.isStrict = isStrict
        self.letsInWhileFailing = letsInWhileFailing
        self.maximumWait = maximumWait
    }
}

/// The decision about an opening that waited for its record.
public struct OpeningVerdict: Hashable, Sendable {
    /// What waited.
    public var opening: OpeningToken
    /// `ok` opens the door; anything else is what the phone is told instead.
    public var status: StatusCode

    /// A verdict with these parts.
    public init(opening: OpeningToken, status: StatusCode) {
        self.opening = opening
        self.status = status
    }
}

/// What became known about the log itself, for whoever tells people. Each change once.
public enum TrailNotice: Hashable, Sendable {
    /// The log cannot be written.
    case failing(DiskFault)
    /// It can be written again; so many events were lost meanwhile.
    case restored(lost: Int32)
    /// The log is full, and `when-full` is to refuse.
    case full
    /// It has room again.
    case roomy
}

/// The way of events into the log, as seen from the reactor: what has to wait for the disk and what must not, what is
/// kept while the disk fails, and what is decided meanwhile. A value without I/O.
///
/// Events leave by `nextSubmission` and are answered, in any order, by `stored`, `refused` or `failed`. Only openings
/// ever wait for an answer: with a strict audit the answer gives their verdict, or `advance` does when the disk has taken
/// longer than it may.
public struct AuditTrail: Sendable {
    /// An event on its way to the disk.
    public struct Submission: Hashable, Sendable {
        /// What to answer with.
        public var id: RecordID
        /// The event.
        public var event: AuditEvent
    }

    private struct Entry {
        var id: RecordID
        var event: AuditEvent
        /// When it was handed over; nil while it waits for that.
        var handedOver: Instant?
        /// The opening that waits for it.
        var opening: OpeningToken?
        /// When the opening stops waiting.
        var deadline: Instant?
    }

    private enum Condition: Equatable {
        case sound
        /// Since the first failure; entries are handed over again at `retryAt`.
        case failing(DiskFault, retryAt: Instant, pause: Duration)
    }

    /// How many events are kept in memory: a burst of a busy door and then some, in less than 400 KB.
    public static let memoryLimit = 1024
    /// How long records that prove nothing wait for one another, so that many are one write. Nobody waits for them, and a
    /// power cut may have them.
    static let gathering = Duration.seconds(1)
    /// The first pause before a failing disk is tried again; doubled up to the longest.
    static let firstPause = Duration.milliseconds(500)
    static let longestPause = Duration.seconds(30)

    private let policy: AuditPolicy
    private var budget = AttemptBudget()
    private var entries: [Entry] = []
    /// Until when what is to be handed over may wait for more; nil if it may not.
    private var gatheringUntil: Instant?
    private var nextID: UInt64 = 1
    private var condition = Condition.sound
    private var isFull = false
    private var lost: Int32 = 0
    private var notices: [TrailNotice] = []

    /// A trail with nothing on it.
    public init(_ policy: AuditPolicy) {
        self.policy = policy
        // All at once: what nobody touches takes no memory, and a busy door waits for none.
        entries.reserveCapacity(AuditTrail.memoryLimit)
    }

    /// How many events are kept in memory, those on their way to the disk included.
    public var pending: Int { entries.count }

    /// Whether the log cannot be written now.
    public var isFailing: Bool { condition != .sound }

    /// Records an event, or counts it if there were too many such attempts before. Nothing waits for it.
    public mutating func record(_ event: AuditEvent) {
        // What is no attempt goes without a list, as on the way of an opening.
        guard event.kind.isAttempt else { return append(event) }
        for record in budget.records(of: event) { append(record) }
    }

    /// Hands over what waits for more, so that whoever asks finds it.
    public mutating func gatherNoMore() { gatheringUntil = nil }

    /// Records the event of an opening. Returns the decision if there is one at once: `ok` opens the door; nil has the
    /// opening wait for the record.
    public mutating func request(_ opening: OpeningToken, _ event: AuditEvent, at now: Instant) -> StatusCode? {
        if isFull { return refuse(event, .storageFull) }
        guard condition == .sound, entries.count < AuditTrail.memoryLimit else {
            if policy.isStrict, !policy.letsInWhileFailing { return refuse(event, .unavailable) }
            record(event)
            return .ok
        }
        guard policy.isStrict else {
            record(event)
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
            // The oldest are kept: they tell how the trouble began. The number of the others is recorded.
            return lose(1)
        }
        if !AuditKind.ofStrangers.contains(event.kind) {
            gatheringUntil = nil
        } else if condition == .sound, entries.allSatisfy({ $0.handedOver != nil }) {
            gatheringUntil = event.time.instant + AuditTrail.gathering
        }
        entries.append(Entry(id: RecordID(nextID), event: event, opening: opening, deadline: deadline))
        nextID &+= 1
    }

    /// The next event to be handed to the disk's thread; nil if there is none now.
    public mutating func nextSubmission(at now: Instant) -> Submission? {
        if case .failing(let fault, let retryAt, _) = condition {
            // While a disk stalls it still has what it was handed, and gets no more.
            guard now >= retryAt, fault != .stalled || entries.allSatisfy({ $0.handedOver == nil }) else { return nil }
        }
        if let gatheringUntil, now < gatheringUntil { return nil }
        gatheringUntil = nil
        guard let index = entries.firstIndex(where: { $0.handedOver == nil }) else { return nil }
        entries[index].handedOver = now
        return Submission(id: entries[index].id, event: entries[index].event)
    }

    /// The next thing to tell people about the log.
    public mutating func nextNotice() -> TrailNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    /// Nobody waits any longer, since the process ends and its door does not move any more: an opening without a verdict
    /// is withdrawn if its record may be on the disk, and recorded as denied if not.
    @discardableResult public mutating func end(at time: AuditTime) -> [OpeningVerdict] {
        for record in budget.counted(until: nil, time) { append(record) }
        gatheringUntil = nil
        return entries.indices.compactMap { refuseWaiting($0, .aborted) }
    }

    // MARK: Answers

    /// The event is on the disk, and so may be let in whoever waited for that; `isFull` says whether the log takes
    /// further grants. Returns the event, nil for one that was not on its way.
    public mutating func stored(
        _ id: RecordID, isFull: Bool, at time: AuditTime
    ) -> (event: AuditEvent, opening: OpeningToken?)? {
        setFull(isFull)
        guard let entry = take(id) else { return nil }
        // A disk that is all but full takes a small lot after it has failed with a large one: that is no end of the fault.
        // One that stalled has failed with nothing.
        if case .failing(let fault, _, _) = condition, fault == .stalled || entries.allSatisfy({ $0.handedOver != nil })
        {
            restored(at: time)
        }
        recordLoss(at: time)
        return (entry.event, entry.opening)
    }

    /// The log is full, and does not take this event.
    public mutating func refused(_ id: RecordID) -> OpeningVerdict? {
        setFull(true)
        guard let entry = take(id) else { return nil }
        lose(entry.event.kind == .eventsLost ? entry.event.info : 1)
        return entry.opening.map { OpeningVerdict(opening: $0, status: .storageFull) }
    }

    /// The disk could not take the event. It is kept, and handed over again later.
    public mutating func failed(
        _ id: RecordID, _ fault: DiskFault, at now: Instant, _ time: AuditTime
    ) -> OpeningVerdict? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        entries[index].handedOver = nil
        fail(fault, at: now, time)
        return giveUp(index)
    }

    /// The log takes grants again, or takes no more.
    public mutating func setFull(_ full: Bool) {
        guard full != isFull else { return }
        isFull = full
        notices.append(full ? .full : .roomy)
    }

    private mutating func take(_ id: RecordID) -> Entry? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0) }
    }

    /// An opening whose record cannot be written waits no longer.
    private mutating func giveUp(_ index: Int) -> OpeningVerdict? {
        guard policy.letsInWhileFailing else { return refuseWaiting(index, .unavailable) }
        return stopWaiting(index).map { OpeningVerdict(opening: $0, status: .ok) }
    }

    private mutating func stopWaiting(_ index: Int) -> OpeningToken? {
        defer { (entries[index].opening, entries[index].deadline) = (nil, nil) }
        return entries[index].opening
    }

    private mutating func refuseWaiting(_ index: Int, _ status: StatusCode) -> OpeningVerdict? {
        guard let opening = stopWaiting(index) else { return nil }
        if entries[index].handedOver == nil {
            // Nothing of it was written: it is recorded as what became of it.
            entries[index].event = entries[index].event.changed(to: .denied, info: Int32(status.rawValue))
        } else {
            // It may be on the disk yet, as a grant.
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

    private mutating func lose(_ count: Int32) {
        let (sum, overflow) = lost.addingReportingOverflow(count)
        lost = overflow ? .max : sum
    }

    /// Records how many events were lost, as soon as there is room for that.
    private mutating func recordLoss(at time: AuditTime) {
        guard lost > 0, !isFull, entries.count < AuditTrail.memoryLimit else { return }
        let count = lost
        lost = 0
        record(AuditEvent(.eventsLost, at: time, info: count))
    }

    // MARK: Time

    /// When `advance` is to be called next; nil while nothing is due.
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

    /// Notices that the disk has taken too long, and lets nobody wait any longer; records what was counted.
    public mutating func advance(to now: Instant, _ time: AuditTime) -> [OpeningVerdict] {
        for record in budget.counted(until: now, time) { append(record) }
        if condition == .sound, let oldest = entries.first?.handedOver, now - oldest >= policy.maximumWait {
            fail(.stalled, at: now, time)
        }
        // What is appended meanwhile waits for nobody.
        return entries.indices.compactMap { index in
            guard let deadline = entries[index].deadline, deadline <= now else { return nil }
            return giveUp(index)
        }
    }
}
