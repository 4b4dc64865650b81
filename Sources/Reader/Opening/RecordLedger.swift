// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Timekeeping

/// The events on their way into the log, the openings that wait for them, and the answers of the last seconds. A value
/// without I/O.
///
/// Events leave by `nextSubmission` and are answered, in any order, by `stored`, `refused` or `failed`. Events of one
/// origin are limited by `RecordBudget`. Only openings wait: with a strict audit the answer is their verdict, or
/// `advance` gives one when the disk has exceeded its time. `nextVerdict` returns each verdict once, for
/// `AccessReader.decide`.
public struct RecordLedger {
    /// An event to be written to the disk.
    public struct Submission: Hashable, Sendable {
        /// The identifier for the answer.
        public var id: RecordID
        /// The event.
        public var event: AuditEvent
    }

    struct Entry {
        enum State: Equatable {
            /// In memory, to be submitted.
            case kept
            /// With the disk since then.
            case submitted(Instant)
            /// On the disk, or lost; an opening without its decision keeps the entry.
            case over
        }

        let id: RecordID
        var event: AuditEvent
        var state = State.kept
        /// The opening that waits for the record, until it is decided; empty for none. Outside of the entry: most
        /// entries have none.
        fileprivate(set) var place: [Opening]
        /// The end of the opening's wait; nil once it has its verdict.
        var deadline: Instant?
        /// The verdict that `nextVerdict` has not returned.
        var verdict: StatusCode?
        /// The number of the record on the disk.
        var sequence: UInt64?

        init(_ number: UInt64, _ event: AuditEvent, _ place: [Opening]) {
            (id, self.event, self.place) = (RecordID(number), event, place)
        }

        /// The opening that waits for the record, until it is decided.
        var opening: Opening? { place.first }

        /// Adds an equal request, which waits for the same answer.
        mutating func follow(_ requester: Opening.Requester) { place[0].followers.append(requester) }
    }

    enum Condition: Equatable {
        case sound
        /// Since the first failure; entries are submitted again at `retryAt`.
        case failing(DiskFault, retryAt: Instant, pause: Duration)
    }

    /// The maximum number of events in memory: more than a burst at a busy door.
    public static let memoryLimit = 1024
    /// The time for which records that prove nothing are gathered into one write. No opening waits for them, and they
    /// may be lost in a power cut.
    static let gathering = Duration.seconds(1)

    let policy: AuditPolicy
    var budget: RecordBudget
    /// The quality of the clock in new records; nil for the quality in the event. Set by the owner of the clock.
    public var clockQuality: AuditTime.Quality?
    /// Oldest first.
    var entries: [Entry] = []
    /// Empty places of openings that were decided, so that an opening allocates none.
    private var freePlaces: [[Opening]] = []
    /// More openings than wait at once for a disk that works.
    private static let freePlaceLimit = 8
    /// The end of the time for which submissions are gathered; nil while none is.
    var gatheringUntil: Instant?
    private var lastID: UInt64 = 0
    var condition = Condition.sound
    /// True if the log is full and its policy is to refuse.
    public private(set) var isFull = false
    var lost: Int32 = 0
    var notices: [LogNotice] = []

    /// The time in which equal requests are the same one, for new openings; zero turns this off.
    var reArmTime: Duration
    var lastNumber: UInt64 = 0
    /// The decided openings, whose answers are due, in order.
    var decided: [(opening: Opening, answer: Opening.Answer)] = []
    /// The answers within the re-arm time.
    var answered: [AnsweredRequest] = []

    /// An empty ledger of a log with this policy.
    public init(_ policy: AuditPolicy, reArmTime: Duration = .zero) {
        self.policy = policy
        self.reArmTime = reArmTime
        budget = RecordBudget(capacity: policy.capacity)
        // Reserved at once, so that the list does not move; untouched pages take no memory.
        entries.reserveCapacity(RecordLedger.memoryLimit)
        answered.reserveCapacity(RecordLedger.answerLimit + 1)
    }

    /// The fault that prevents writing the log; nil while the log is written.
    public var fault: DiskFault? { if case .failing(let fault, _, _) = condition { fault } else { nil } }

    /// The number of events that are not on the disk, including submitted ones.
    public var pending: Int { entries.count { $0.state != .over } }

    /// Records an event, or counts it if it is over the budget of its origin. No opening waits for it.
    public mutating func record(_ event: AuditEvent) {
        let event = stamped(event)
        if charge(event) { append(event) }
    }

    /// Charges an event, which may be recorded elsewhere; false if it has no room. Then it is counted, unless it is
    /// refused.
    public mutating func charge(_ event: AuditEvent, counted: Bool = true) -> Bool {
        defer { appendDisplaced() }
        return budget.admits(event, counted: counted)
    }

    /// True if so many events like this one can be recorded individually now. Otherwise an order that opens or ends a
    /// protection is refused.
    public mutating func hasRoom(for event: AuditEvent, count: Int = 1) -> Bool {
        defer { appendDisplaced() }
        return budget.hasRoom(for: event, count: count)
    }

    private mutating func appendDisplaced() { while let count = budget.nextDisplaced() { append(count) } }

    /// The event with the quality of its time.
    private func stamped(_ event: AuditEvent) -> AuditEvent {
        guard let clockQuality, event.time.quality != .unset else { return event }
        var event = event
        event.time.quality = clockQuality
        return event
    }

    /// Replaces the times of the events that have not been submitted.
    public mutating func restamp(_ restamped: (AuditTime) -> AuditTime) {
        for index in entries.indices where entries[index].isKept {
            entries[index].event.time = restamped(entries[index].event.time)
        }
    }

    /// Ends the gathering, so that a query finds all records.
    public mutating func stopGathering() { gatheringUntil = nil }

    /// Records the event of an opening, which waits for its verdict.
    mutating func request(
        _ token: OpeningToken, _ requester: Opening.Requester, _ event: AuditEvent, at now: Instant
    ) {
        let opening = Opening(token: token, requester: requester, since: now, until: now + reArmTime)
        let event = stamped(event)
        guard let status = verdict(on: event) else {
            return append(event, opening, deadline: now + policy.maximumWait)
        }
        // Its record, if it has one, is an entry by itself.
        enter(event, opening)
        (entries[entries.count - 1].state, entries[entries.count - 1].verdict) = (.over, status)
    }

    /// Records the event of an opening that does not wait for it, and returns the verdict; nil if the opening waits.
    private mutating func verdict(on event: AuditEvent) -> StatusCode? {
        if isFull { return refuse(event, .storageFull) }
        let isWritable = condition == .sound && pending < RecordLedger.memoryLimit
        if !isWritable, policy.isStrict, !policy.grantsWhileFailing { return refuse(event, .unavailable) }
        // Every opening has its record: one over the budget is refused.
        guard charge(event, counted: false) else { return refuse(event, .unavailable) }
        guard !isWritable || !policy.isStrict else { return nil }
        append(event)
        return .ok
    }

    private mutating func refuse(_ event: AuditEvent, _ status: StatusCode) -> StatusCode {
        record(event.changed(to: .denied, info: Int32(status.rawValue)))
        return status
    }

    mutating func append(_ event: AuditEvent, _ opening: Opening? = nil, deadline: Instant? = nil) {
        // Counts may have used the room of an opening that was found to have some.
        guard opening != nil || pending < RecordLedger.memoryLimit else {
            // The oldest are kept, since they show the beginning of the fault. The number of dropped events is
            // recorded.
            return countLost(1)
        }
        if !AuditKind.unprovenKinds.contains(event.kind) {
            gatheringUntil = nil
        } else if condition == .sound, !hasKept {
            gatheringUntil = event.time.instant + RecordLedger.gathering
        }
        enter(event, opening)
        entries[entries.count - 1].deadline = deadline
    }

    private mutating func enter(_ event: AuditEvent, _ opening: Opening?) {
        lastID &+= 1
        var place: [Opening] = []
        if let opening {
            place = freePlaces.popLast() ?? place
            place.append(opening)
        }
        entries.append(Entry(lastID, event, place))
    }

    /// Ends the wait of the opening of an entry, and returns it.
    mutating func removeOpening(at index: Int) -> Opening {
        var place: [Opening] = []
        swap(&place, &entries[index].place)
        let opening = place.removeLast()
        if freePlaces.count < RecordLedger.freePlaceLimit { freePlaces.append(place) }
        return opening
    }

    /// Returns the next event for the disk's thread; nil if no event is due.
    public mutating func nextSubmission(at now: Instant) -> Submission? {
        if case .failing(let fault, let retryAt, _) = condition {
            // A stalled disk still has the submitted events, and gets no more.
            guard now >= retryAt, fault != .stalled || !hasSubmitted else { return nil }
        }
        if let gatheringUntil, now < gatheringUntil { return nil }
        gatheringUntil = nil
        guard let index = entries.firstIndex(where: \.isKept) else { return nil }
        entries[index].state = .submitted(now)
        return Submission(id: entries[index].id, event: entries[index].event)
    }

    /// True if an event is to be submitted.
    var hasKept: Bool { entries.contains(where: \.isKept) }
    /// True if the disk has an event.
    var hasSubmitted: Bool { entries.contains { $0.submittedAt != nil } }

    /// Returns the next change of the log's state to be reported.
    public mutating func nextNotice() -> LogNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    /// Sets whether the log is full and accepts no further grants.
    public mutating func setFull(_ full: Bool) {
        guard full != isFull else { return }
        isFull = full
        notices.append(full ? .full : .hasRoom)
    }

    mutating func countLost(_ count: Int32) {
        let (sum, overflow) = lost.addingReportingOverflow(count)
        lost = overflow ? .max : sum
    }
}

extension RecordLedger.Entry {
    var isKept: Bool { state == .kept }

    /// The time of the submission; nil before and after.
    var submittedAt: Instant? { if case .submitted(let instant) = state { instant } else { nil } }
}
