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

/// What was decided about a grant that asked to be recorded.
public struct GrantVerdict: Hashable, Sendable {
    /// The number that the grant was asked about with.
    public var grant: UInt64
    /// `ok` opens the door; anything else is what the phone is told instead.
    public var status: StatusCode
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
/// Events leave by `nextSubmission` and are answered, in any order, by `stored`, `refused` or `failed`. Only grants
/// ever wait for an answer: with a strict audit their verdict comes with it, or when the disk has taken longer than
/// it may.
public struct AuditTrail: Sendable {
    /// An event on its way to the disk.
    public struct Submission: Hashable, Sendable {
        /// What to answer with.
        public var id: UInt64
        /// The event.
        public var event: AuditEvent
    }

    private struct Entry {
        var id: UInt64
        var event: AuditEvent
        /// When it was handed over; nil while it waits for that.
        var handedOver: Instant?
        /// The grant that waits for it.
        var grant: UInt64?
        /// When the grant stops waiting.
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
    private var verdicts: [GrantVerdict] = []
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
        guard event.kind.isAttempt else { return append(event, grant: nil, deadline: nil) }
        for record in budget.records(of: event) { append(record, grant: nil, deadline: nil) }
    }

    /// Hands over what waits for more, so that whoever asks finds it.
    public mutating func gatherNoMore() { gatheringUntil = nil }

    /// Asks whether the door may open, with the event that says so; the verdict comes by `nextVerdict`, perhaps at
    /// once.
    public mutating func request(grant: UInt64, _ event: AuditEvent, at now: Instant) {
        if isFull { return refuse(grant, event, .storageFull) }
        let hasRoom = entries.count < AuditTrail.memoryLimit
        guard condition == .sound, hasRoom else {
            if policy.isStrict, !policy.letsInWhileFailing { return refuse(grant, event, .unavailable) }
            record(event)
            return decide(grant, .ok)
        }
        if policy.isStrict {
            append(event, grant: grant, deadline: now + policy.maximumWait)
        } else {
            record(event)
            decide(grant, .ok)
        }
    }

    private mutating func refuse(_ grant: UInt64, _ event: AuditEvent, _ status: StatusCode) {
        record(event.changed(to: .denied, info: Int32(status.rawValue)))
        decide(grant, status)
    }

    private mutating func decide(_ grant: UInt64, _ status: StatusCode) {
        verdicts.append(GrantVerdict(grant: grant, status: status))
    }

    private mutating func append(_ event: AuditEvent, grant: UInt64?, deadline: Instant?) {
        guard entries.count < AuditTrail.memoryLimit else {
            // The oldest are kept: they tell how the trouble began. The number of the others is recorded.
            return lose(1)
        }
        if !AuditKind.ofStrangers.contains(event.kind) {
            gatheringUntil = nil
        } else if condition == .sound, entries.allSatisfy({ $0.handedOver != nil }) {
            gatheringUntil = event.time.instant + AuditTrail.gathering
        }
        entries.append(Entry(id: nextID, event: event, grant: grant, deadline: deadline))
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

    /// The next verdict on a grant.
    public mutating func nextVerdict() -> GrantVerdict? {
        verdicts.isEmpty ? nil : verdicts.removeFirst()
    }

    /// The next thing to tell people about the log.
    public mutating func nextNotice() -> TrailNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    /// Nobody waits any longer, since the process ends and its door does not move any more: a grant without a verdict is
    /// withdrawn if its record may be on the disk, and recorded as denied if not.
    public mutating func end(at time: AuditTime) {
        for record in budget.counted(until: nil, time) { append(record, grant: nil, deadline: nil) }
        gatheringUntil = nil
        for index in entries.indices { refuseWaiting(index, .aborted) }
    }

    // MARK: Answers

    /// The event is on the disk; `isFull` says whether the log takes further grants.
    public mutating func stored(_ id: UInt64, isFull: Bool, at time: AuditTime) {
        setFull(isFull)
        guard let entry = take(id) else { return }
        if let grant = entry.grant { decide(grant, .ok) }
        // A disk that is all but full takes a small lot after it has failed with a large one: that is no end of the fault.
        // One that stalled has failed with nothing.
        if case .failing(let fault, _, _) = condition, fault == .stalled || entries.allSatisfy({ $0.handedOver != nil })
        {
            restored(at: time)
        }
        recordLoss(at: time)
    }

    /// The log is full, and does not take this event.
    public mutating func refused(_ id: UInt64) {
        setFull(true)
        guard let entry = take(id) else { return }
        lose(entry.event.kind == .eventsLost ? entry.event.info : 1)
        if let grant = entry.grant { decide(grant, .storageFull) }
    }

    /// The disk could not take the event. It is kept, and handed over again later.
    public mutating func failed(_ id: UInt64, _ fault: DiskFault, at now: Instant, _ time: AuditTime) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].handedOver = nil
        fail(fault, at: now, time)
        giveUp(index)
    }

    private mutating func take(_ id: UInt64) -> Entry? {
        entries.firstIndex { $0.id == id }.map { entries.remove(at: $0) }
    }

    private mutating func setFull(_ full: Bool) {
        guard full != isFull else { return }
        isFull = full
        notices.append(full ? .full : .roomy)
    }

    /// A grant whose record cannot be written waits no longer.
    private mutating func giveUp(_ index: Int) {
        guard let grant = entries[index].grant else { return }
        guard policy.letsInWhileFailing else { return refuseWaiting(index, .unavailable) }
        stopWaiting(index)
        decide(grant, .ok)
    }

    private mutating func stopWaiting(_ index: Int) {
        entries[index].grant = nil
        entries[index].deadline = nil
    }

    private mutating func refuseWaiting(_ index: Int, _ status: StatusCode) {
        guard let grant = entries[index].grant else { return }
        stopWaiting(index)
        decide(grant, status)
        if entries[index].handedOver == nil {
            // Nothing of it was written: it is recorded as what became of it.
            entries[index].event = entries[index].event.changed(to: .denied, info: Int32(status.rawValue))
        } else {
            // It may be on the disk yet, as a grant.
            record(entries[index].event.changed(to: .withdrawn, info: Int32(status.rawValue)))
        }
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
    public mutating func advance(to now: Instant, _ time: AuditTime) {
        for record in budget.counted(until: now, time) { append(record, grant: nil, deadline: nil) }
        if condition == .sound, let oldest = entries.first?.handedOver, now - oldest >= policy.maximumWait {
            fail(.stalled, at: now, time)
        }
        // What is appended meanwhile waits for nobody.
        for index in entries.indices {
            if let deadline = entries[index].deadline, deadline <= now { giveUp(index) }
        }
    }
}
