import AccessProtocol
import EventStore
import Reader
import Timekeeping

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
        /// Why nobody knows what was kept; nil if that is known.
        var refusal: PolicyRefusal?
        /// What of the policy's files had to be written again; nil if nothing had.
        var mended: String?

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
    /// For requests whose answer nobody waits for, and that may be lost.
    static let unwaited = UInt64.max - 1
    /// Changes that nobody waits for have this bit as well.
    private static let unwaitedMark: UInt64 = 1 << 62
    /// How long a disk that could not take a change rests before the change is put again.
    static let retryPause = Duration.seconds(5)

    private var answers: [(id: UInt64, answer: StorageAnswer)] = []
    private var carried: [Event] = []
    /// In the order in which they were handed over, in which they are answered too.
    private var onTheirWay: [(id: UInt64, event: AuditEvent)] = []
    /// Whether the events that phones may take along have changed since they were taken.
    private var hasNewCarried = false
    /// Changes on their way, by the number that the store has for them.
    private var changes: [UInt64: StorageWork] = [:]
    private var nextUnwaited: UInt64 = 0
    /// Whether the stored blacklist may differ from the one in memory.
    private(set) var isBlacklistBehind = false
    /// Settings that nobody waited for, and that could not be kept.
    private var settingsBehind: [String: [UInt8]?] = [:]
    /// When what could not be kept is put again; nil while nothing is behind.
    private(set) var retryAt: Instant?
    /// Why the last change of the policy could not be kept; nil if it was.
    private(set) var changeFault: DiskFault?

    /// How many events are kept for phones; a result carries 16 of them, of the kinds that the phone knows.
    static let carriedLimit = 64

    init() {
        onTheirWay.reserveCapacity(AuditTrail.memoryLimit)
        carried.reserveCapacity(StorageDesk.carriedLimit + 1)
    }

    /// The number that the store gets.
    mutating func number(of request: StorageRequest) -> UInt64 {
        let number: UInt64
        if let id = request.id {
            number = id | StorageDesk.mark
        } else {
            nextUnwaited += 1
            number = nextUnwaited | StorageDesk.mark | StorageDesk.unwaitedMark
        }
        switch request.work {
        case .blacklist(.replace): isBlacklistBehind = false
        case .setting(let name, _): settingsBehind[name] = nil
        default: break
        }
        if request.work.policyChange != nil { changes[number] = request.work }
        return number
    }

    /// Takes an answer of the store if it is one to the reader; whether it was.
    mutating func take(_ id: UInt64, _ answer: StoreAnswer, at now: Instant) -> Bool {
        if id == StorageDesk.unwaited { return true }
        guard id & StorageDesk.mark != 0, id < StorageDesk.reserved else { return false }
        if let work = changes.removeValue(forKey: id) {
            take(work, answer, isWaited: id & StorageDesk.unwaitedMark == 0, now)
        }
        guard id & StorageDesk.unwaitedMark == 0 else { return true }
        // The one event that the reader appends so is a clearing.
        if case .appended = answer { forgetCarried() }
        answers.append((id & ~StorageDesk.mark, StorageAnswer(answer)))
        return true
    }

    /// What could not be kept is put again later. Of what a phone waits for it is the blacklist alone: the phone has been
    /// told, and the list in memory has been taken back, but a disk that failed at the last step may have the change.
    private mutating func take(_ work: StorageWork, _ answer: StoreAnswer, isWaited: Bool, _ now: Instant) {
        guard case .failed(let fault) = answer else {
            // A policy that is refused has a fault of its own, and takes no change before it is begun anew.
            changeFault = nil
            return
        }
        changeFault = fault
        switch work {
        case .blacklist: isBlacklistBehind = true
        case .setting(let name, let value) where !isWaited:
            // A later one is on its way.
            guard !changes.values.contains(where: { $0.settingName == name }) else { return }
            settingsBehind[name] = .some(value)
        default: return
        }
        retryAt = now + StorageDesk.retryPause
    }

    /// What could not be kept, if it is time to put it again; the blacklist as it is in memory then.
    mutating func takeBehind(at now: Instant, _ blacklist: () -> [BlacklistRow]) -> [StorageRequest] {
        guard let retryAt, retryAt <= now else { return [] }
        self.retryAt = nil
        var requests = settingsBehind.map { StorageRequest(id: nil, work: .setting($0.key, $0.value)) }
        if isBlacklistBehind { requests.append(StorageRequest(id: nil, work: .blacklist(.replace(blacklist())))) }
        return requests
    }

    /// The next answer for the reader.
    mutating func nextAnswer() -> (id: UInt64, answer: StorageAnswer)? {
        answers.isEmpty ? nil : answers.removeFirst()
    }

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
        case .blacklist(let change): .change(.blacklist(change))
        case .setting(let name, let value): .change(.setting(name, value))
        // The clock is not the store's: whoever hands a request to the store has taken this one out.
        case .clock: .counters
        }
    }

    /// What it changes of the policy; nil if nothing.
    fileprivate var policyChange: PolicyChange? {
        if case .change(let change) = storeRequest { change } else { nil }
    }

    fileprivate var settingName: String? {
        if case .setting(let name, _) = self { name } else { nil }
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
        case .appended, .done: self = .done
        case .policy, .policyRefused: self = .failed(.unavailable)
        }
    }
}
