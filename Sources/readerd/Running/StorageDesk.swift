import AccessProtocol
import EventStore
import Reader

/// What the reader asks of the store besides recording events, and what comes back: the part of the desk that knows
/// which answer belongs to whom.
struct StorageDesk {
    /// What was kept, as it was found after the start.
    struct Contents {
        /// The blacklist.
        var blacklist: [BlacklistRow]
        /// The settings, by name.
        var settings: [String: [UInt8]]
        /// When the last event of an earlier run was, in seconds since 1970; nil if that is not known.
        var lastEvent: Int64?
        /// Whether that is all that can be known: without it, there was no event.
        var isLastEventKnown = true

        /// The state of the reader's clock; nil of a reader that never had one. Octets that are none are those of a clock
        /// that phones may not move any more.
        var clockMarks: ClockMarks? {
            settings[ClockMarks.setting].map { ClockMarks($0) ?? .exhausted(latest: 0) }
        }
    }

    /// Requests of the reader have this bit in their number at the store; events have not.
    private static let mark: UInt64 = 1 << 63
    /// From here on, numbers are those of the desk's own requests.
    private static let reserved = UInt64.max - 16
    /// For requests whose answer nobody waits for.
    static let unwaited = UInt64.max - 1
    /// For changes of the blacklist that nobody waits for, whose failure has to be made good.
    private static let unwaitedBlacklist = UInt64.max - 2

    private var answers: [(id: UInt64, answer: StorageAnswer)] = []
    private var carried: [Event] = []
    /// In the order in which they were handed over, in which they are answered too.
    private var onTheirWay: [(id: UInt64, event: AuditEvent)] = []
    /// Whether the events that phones may take along have changed since they were taken.
    private var hasNewCarried = false
    /// Whether the stored blacklist lacks what the one in memory has.
    private(set) var isBlacklistBehind = false

    /// How many events are kept for phones; a result carries 16 of them, of the kinds that the phone knows.
    static let carriedLimit = 64

    init() {
        onTheirWay.reserveCapacity(AuditTrail.memoryLimit)
        carried.reserveCapacity(StorageDesk.carriedLimit + 1)
    }

    /// The number that the store gets.
    func number(of request: StorageRequest) -> UInt64 {
        if let id = request.id { return id | StorageDesk.mark }
        if case .blacklist = request.work { return StorageDesk.unwaitedBlacklist }
        return StorageDesk.unwaited
    }

    /// Takes an answer of the store if it is one to the reader; whether it was.
    mutating func take(_ id: UInt64, _ answer: StoreAnswer) -> Bool {
        if id == StorageDesk.unwaited { return true }
        if id == StorageDesk.unwaitedBlacklist {
            if case .failed = answer { isBlacklistBehind = true }
            return true
        }
        guard id & StorageDesk.mark != 0, id < StorageDesk.reserved else { return false }
        // The one event that the reader appends so is a clearing.
        if case .appended = answer { forgetCarried() }
        answers.append((id & ~StorageDesk.mark, StorageAnswer(answer)))
        return true
    }

    /// The next answer for the reader.
    mutating func nextAnswer() -> (id: UInt64, answer: StorageAnswer)? {
        answers.isEmpty ? nil : answers.removeFirst()
    }

    /// The stored blacklist is about to be replaced by the one in memory.
    mutating func caughtUp() { isBlacklistBehind = false }

    // MARK: Events that phones take along

    /// An event is on its way to the log.
    mutating func handedOver(_ id: UInt64, _ event: AuditEvent) { onTheirWay.append((id, event)) }

    /// It is in the log.
    mutating func stored(_ id: UInt64, as sequence: UInt64) {
        guard let index = onTheirWay.firstIndex(where: { $0.id == id }) else { return }
        let event = onTheirWay.remove(at: index).event
        append(AuditRecord(sequence: sequence, event: event))
    }

    /// It is not.
    mutating func failed(_ id: UInt64) { onTheirWay.removeAll { $0.id == id } }

    /// Records of an earlier run, newest first.
    mutating func found(_ records: [AuditRecord]) {
        let last = records.first.map { $0.phoneEvent.sequenceId } ?? 0
        let later = carried.filter { $0.sequenceId > last }
        carried.removeAll(keepingCapacity: true)
        for record in records.reversed() { append(record) }
        carried += later
        carried.removeFirst(max(0, carried.count - StorageDesk.carriedLimit))
    }

    private mutating func append(_ record: AuditRecord) {
        carried.append(record.phoneEvent)
        if carried.count > StorageDesk.carriedLimit { carried.removeFirst() }
        hasNewCarried = true
    }

    /// The log was cleared: phones see nothing of before.
    private mutating func forgetCarried() {
        carried.removeAll(keepingCapacity: true)
        hasNewCarried = true
    }

    /// The events that phones may take along, oldest first, if they have changed.
    mutating func takeCarried() -> [Event]? {
        guard hasNewCarried else { return nil }
        hasNewCarried = false
        return carried
    }
}

extension StorageWork {
    /// What the store is asked for.
    var storeRequest: StoreRequest {
        switch self {
        case .counters: .counters
        case .events(let query): .events(query)
        case .clearEvents(let event): .append(event)
        case .systemLines(let query): .systemLines(query)
        case .clearSystemLines: .clearSystemLog
        case .blacklist(let change): .blacklist(change)
        case .setting(let name, let value): .setting(name, value)
        // The clock is not the store's: whoever hands a request to the store has taken this one out.
        case .clock: .counters
        }
    }
}

extension StorageAnswer {
    /// What the store's answer says to the reader.
    init(_ answer: StoreAnswer) {
        switch answer {
        case .counters(let counters): self = .counters(counters)
        case .events(let records): self = .events(records)
        case .systemLines(let lines): self = .systemLines(lines)
        case .refused, .failed(.full): self = .failed(.storageFull)
        case .failed: self = .failed(.unavailable)
        case .appended, .done, .blacklist, .contents: self = .done
        }
    }
}
