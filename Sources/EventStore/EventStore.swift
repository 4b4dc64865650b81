public import Reader
import System

/// The log and the policy on the disk, behind a thread of their own: whoever asks never waits.
///
/// Requests go in with a token of the caller's; results come out with it when `descriptor` is readable, in the order
/// of the requests. What is reported done survives the process's death and a power cut. Requests that wait together
/// are written together, so a slow disk costs a wait per batch and not per event.
///
/// That the disk does not work is an answer like any other; each request tries anew.
public final class EventStore {
    /// What the store is told once.
    public struct Configuration: Sendable {
        /// The state directory; the files `events.db`, `events.head` and `events.lock`, `policy.a`, `policy.b` and
        /// `policy.count` are made in it.
        public var directory: String
        /// The device's key for the chain and the policy.
        public var key: AuditKey
        /// How many records are kept.
        public var capacity: LogCapacity
        /// How many pages of 4 KB the database may have; 0 for no limit but the disk's. For tests.
        public var pageLimit: Int64 = 0

        /// A store in this directory.
        public init(directory: String, key: AuditKey, capacity: LogCapacity) {
            self.directory = directory
            self.key = key
            self.capacity = capacity
        }
    }

    private let queue: StoreQueue

    /// Starts the thread, which opens the files with the first request. Fails only when the process has no
    /// descriptors or threads left.
    public init(_ configuration: Configuration) throws(DiskFault) {
        queue = try StoreQueue()
        guard DetachedThread.start({ [queue] in StoreWorker(configuration, queue).run() }) else { throw .other }
    }

    deinit { _ = queue.close(within: 0) }

    /// Readable while there are results.
    public var descriptor: Int32 { queue.descriptor }

    /// Hands a request over; false if too many wait already, which means that the disk has stalled.
    public func submit(_ token: StoreToken, _ request: StoreRequest) -> Bool {
        queue.submit(StoreQueue.Item(token: token, request: request))
    }

    /// Moves the results so far behind those in `results`.
    public func takeResults(into results: inout [StoreResult]) {
        queue.takeResults(into: &results)
    }

    /// Has everything written that was handed over, and ends; false if that takes longer. No request is taken after
    /// that.
    @discardableResult public func close(within seconds: Int) -> Bool {
        queue.close(within: seconds)
    }
}

/// The disk's thread.
private final class StoreWorker {
    private let configuration: EventStore.Configuration
    private let queue: StoreQueue
    private var database: EventDatabase?
    private var policy: PolicyStore

    init(_ configuration: EventStore.Configuration, _ queue: StoreQueue) {
        self.configuration = configuration
        self.queue = queue
        policy = PolicyStore(PolicyFiles(directory: configuration.directory, key: configuration.key))
    }

    func run() {
        while let items = queue.next() {
            var rest = items[...]
            while !rest.isEmpty { queue.post(perform(&rest)) }
        }
        database?.finish()
        database = nil
        queue.end()
    }

    /// Does what can be done in one go: a run of events, or of system lines, or one request of another kind.
    private func perform(_ rest: inout ArraySlice<StoreQueue.Item>) -> [StoreResult] {
        var events: [(token: StoreToken, event: AuditEvent)] = []
        while let first = rest.first, case .append(let event) = first.request {
            events.append((first.token, event))
            rest.removeFirst()
        }
        guard events.isEmpty else {
            do throws(DiskFault) { return try append(events) } catch {
                failed(error)
                return events.map { StoreResult(token: $0.token, answer: .failed(error)) }
            }
        }
        let item = rest.removeFirst()
        return [StoreResult(token: item.token, answer: answer(item.request))]
    }

    private func answer(_ request: StoreRequest) -> StoreAnswer {
        do throws(DiskFault) {
            switch request {
            case .policy: return try lookUpPolicy()
            case .change(let change): return try make(change)
            default: break
            }
        } catch {
            // The policy's files are no part of the database.
            return .failed(error)
        }
        do throws(DiskFault) { return try answerOfLog(request) } catch {
            failed(error)
            return .failed(error)
        }
    }

    private func lookUpPolicy() throws(DiskFault) -> StoreAnswer {
        // Without a log the policy holds by its own witness.
        let log = try? open(at: StoreWorker.unsetTime)
        let logged = (try? log?.connection.policyGeneration(key: configuration.key)) ?? 0
        switch try policy.load(logged: logged) {
        case .known(let document, let mended): return .policy(document, mended: mended)
        case .refused(let refusal): return .policyRefused(refusal)
        }
    }

    private func make(_ change: PolicyChange) throws(DiskFault) -> StoreAnswer {
        if policy.document == nil, case .policyRefused(let refusal) = try lookUpPolicy() {
            return .policyRefused(refusal)
        }
        try policy.make(change)
        return .done
    }

    private func append(_ events: [(token: StoreToken, event: AuditEvent)]) throws(DiskFault) -> [StoreResult] {
        let database = try open(at: events[0].event.time)
        let generation = policy.document?.generation ?? 0
        let outcomes = try database.append(
            events.map { item in
                var event = item.event
                if AuditKind.policyWitnesses.contains(event.kind) { event.mark = generation }
                return event
            })
        return zip(events, outcomes).map { event, outcome in
            switch outcome {
            case .stored(let sequence): StoreResult(token: event.token, answer: .appended(sequence, database.state))
            case .refused: StoreResult(token: event.token, answer: .refused)
            }
        }
    }

    private static let unsetTime = AuditTime(
        epochSeconds: 0, utcOffsetMinutes: 0, quality: .unset, uptimeMilliseconds: 0)

    private func answerOfLog(_ request: StoreRequest) throws(DiskFault) -> StoreAnswer {
        let database = try open(at: StoreWorker.unsetTime)
        switch request {
        case .append, .change, .policy: break
        case .systemLine(let line): try database.append([line])
        case .clearSystemLog: try database.clearSystemLog()
        case .events(let query): return .events(try database.connection.records(query))
        case .systemLines(let query): return .systemLines(try database.connection.systemLines(query))
        case .counters: return .counters(try counters(of: database))
        }
        return .done
    }

    private func counters(of database: EventDatabase) throws(DiskFault) -> LogCounters {
        var counters = LogCounters()
        counters.eventLimit = UInt32(clamping: configuration.capacity.records)
        let state = database.state
        counters.events = UInt32(
            clamping: configuration.capacity.taken(state.live, ofStrangers: state.liveOfStrangers))
        counters.lastEvent = database.state.last
        counters.lineLimit = UInt32(clamping: SystemLine.limit)
        counters.lines = UInt32(clamping: try database.connection.number("SELECT count(*) FROM system_line") ?? 0)
        // The numbers go on when the lines are gone.
        let last = try database.connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'system_line'")
        counters.lastLine = UInt64(clamping: last ?? 0)
        return counters
    }

    private func open(at time: AuditTime) throws(DiskFault) -> EventDatabase {
        if let database { return database }
        let database = try EventDatabase(
            directory: configuration.directory, key: configuration.key, capacity: configuration.capacity, at: time,
            pageLimit: configuration.pageLimit)
        self.database = database
        return database
    }

    /// A full disk, or a reader in the way, leaves the database as it was. After anything else it is opened anew.
    private func failed(_ fault: DiskFault) {
        if fault != .full, fault != .inUse { database = nil }
    }
}
