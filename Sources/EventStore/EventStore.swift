// SPDX-License-Identifier: Apache-2.0

public import Reader
import System

/// The log and the policy on the disk, on their own thread; requests never block.
///
/// Requests carry a token of the caller's. Results with this token are available when `descriptor` is readable, in the
/// order of the requests. A reported change survives the process's death and a power cut. Pending requests are written
/// together, so that a slow disk costs one wait per batch instead of one per event.
///
/// Disk failures are reported as results; each request tries again.
public final class EventStore {
    /// The store's configuration.
    public struct Configuration: Sendable {
        /// The state directory. The store creates the files `events.db`, `events.head`, `events.lock`, `policy.a`,
        /// `policy.b` and `policy.count` in it.
        public var directory: String
        /// The device's key for the chain and the policy's seal.
        public var key: AuditKey
        /// The number of records that are kept.
        public var capacity: LogCapacity
        /// The maximum size of the database in pages of 4 KB; 0 for no limit. For tests.
        public var pageLimit: Int64 = 0

        /// Creates the configuration of a store in this directory.
        public init(directory: String, key: AuditKey, capacity: LogCapacity) {
            self.directory = directory
            self.key = key
            self.capacity = capacity
        }
    }

    private let queue: StoreQueue

    /// Starts the thread, which opens the files at the first request.
    ///
    /// - Throws: `DiskFault` only if the process has no descriptors or threads left.
    public init(_ configuration: Configuration) throws(DiskFault) {
        queue = try StoreQueue()
        guard DetachedThread.start({ [queue] in StoreWorker(configuration, queue).run() }) else { throw .other }
    }

    deinit { _ = queue.close(within: 0) }

    /// Readable while there are results.
    public var descriptor: Int32 { queue.descriptor }

    /// Submits a request.
    ///
    /// - Returns: False if the queue is full, which means that the disk has stalled.
    public func submit(_ token: StoreToken, _ request: StoreRequest) -> Bool {
        queue.submit(token, request)
    }

    /// Removes the available results, and calls `body` with each, oldest first. Without an allocation for a few.
    public func forEachResult(_ body: (StoreResult) -> Void) { queue.forEachResult(body) }

    /// Removes and returns the available results.
    public func results() -> [StoreResult] { queue.results() }

    /// Writes all submitted requests, and ends. Requests after that are rejected.
    ///
    /// - Returns: False if it takes longer than `seconds`.
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
        while let requests = queue.next() {
            var rest = requests[...]
            while !rest.isEmpty { queue.post(perform(&rest)) }
        }
        database?.finish()
        database = nil
        queue.end()
    }

    /// Executes the longest run of requests that fits one transaction: events, or one request of another kind.
    ///
    /// - Returns: An answer for each, in the same order.
    private func perform(_ rest: inout ArraySlice<StoreRequest>) -> [StoreAnswer] {
        var events: [AuditEvent] = []
        while let first = rest.first, case .append(let event) = first {
            events.append(event)
            rest.removeFirst()
        }
        guard events.isEmpty else {
            do throws(DiskFault) { return try append(events) } catch {
                failed(error)
                return events.map { _ in .failed(error) }
            }
        }
        return [answer(rest.removeFirst())]
    }

    private func answer(_ request: StoreRequest) -> StoreAnswer {
        do throws(DiskFault) {
            switch request {
            case .policy: return try lookUpPolicy()
            case .change(let change): return try make(change)
            default: break
            }
        } catch {
            // The policy's files are not part of the database.
            return .failed(error)
        }
        do throws(DiskFault) { return try answerOfLog(request) } catch {
            failed(error)
            return .failed(error)
        }
    }

    private func lookUpPolicy() throws(DiskFault) -> StoreAnswer {
        // Without a log, its head decides, and without a head the policy's own witness.
        let key = configuration.key
        let logged =
            (try? onLog(at: StoreWorker.unsetTime) { (log) throws(DiskFault) in
                max(try log.connection.policyGeneration(key: key), log.policyGeneration)
            }) ?? EventStore.generationOfHead(in: configuration.directory, key: key)
        switch try policy.load(logged: logged) {
        case .known(let document, let mended):
            database?.witness(policyGeneration: document.generation)
            return .policy(document, mended: mended)
        case .refused(let refusal): return .policyRefused(refusal)
        }
    }

    private func make(_ change: PolicyChange) throws(DiskFault) -> StoreAnswer {
        if policy.document == nil, case .policyRefused(let refusal) = try lookUpPolicy() {
            return .policyRefused(refusal)
        }
        try policy.make(change)
        if let document = policy.document { database?.witness(policyGeneration: document.generation) }
        return .done
    }

    private func append(_ events: [AuditEvent]) throws(DiskFault) -> [StoreAnswer] {
        let generation = policy.document?.generation ?? 0
        let marked = events.map { event in
            var event = event
            if AuditKind.policyWitnesses.contains(event.kind) { event.mark = generation }
            return event
        }
        return try onLog(at: events[0].time) { (log) throws(DiskFault) in
            try log.append(marked).map { outcome in
                switch outcome {
                case .stored(let sequence): .appended(sequence, log.state)
                case .refused: .refused
                }
            }
        }
    }

    private static let unsetTime = AuditTime(
        epochSeconds: 0, utcOffsetMinutes: 0, quality: .unset, uptimeMilliseconds: 0)

    private func answerOfLog(_ request: StoreRequest) throws(DiskFault) -> StoreAnswer {
        try onLog(at: StoreWorker.unsetTime) { (log) throws(DiskFault) in
            switch request {
            case .append, .change, .policy: break
            case .systemLine(let line): try log.append([line])
            case .clearSystemLog: try log.clearSystemLog()
            case .events(let query): return .events(try log.connection.records(query))
            case .slice(let first, let limit): return .slice(try log.slice(from: first, limit: limit))
            case .systemLines(let query): return .systemLines(try log.connection.systemLines(query))
            case .counters: return .counters(try counters(of: log))
            }
            return .done
        }
    }

    private func counters(of database: EventDatabase) throws(DiskFault) -> LogCounters {
        var counters = LogCounters()
        counters.eventLimit = UInt32(clamping: configuration.capacity.records)
        let state = database.state
        counters.events = UInt32(
            clamping: configuration.capacity.taken(state.live, unproven: state.liveUnproven))
        counters.lastEvent = database.state.last
        counters.lineLimit = UInt32(clamping: SystemLine.limit)
        counters.lines = UInt32(clamping: try database.connection.number("SELECT count(*) FROM system_line") ?? 0)
        // Numbering continues after the lines are deleted.
        let last = try database.connection.number("SELECT seq FROM sqlite_sequence WHERE name = 'system_line'")
        counters.lastLine = UInt64(clamping: last ?? 0)
        return counters
    }

    /// Runs `body` with the log. If that finds damage, the log is opened again, and then replaced.
    private func onLog<Result>(
        at time: AuditTime, _ body: (EventDatabase) throws(DiskFault) -> Result
    ) throws(DiskFault) -> Result {
        for replaces in [false, false, true] {
            do throws(DiskFault) { return try body(open(at: time, replacing: replaces)) } catch {
                failed(error)
                guard error == .damaged, !replaces else { throw error }
            }
        }
        throw .damaged
    }

    private func open(at time: AuditTime, replacing replaces: Bool) throws(DiskFault) -> EventDatabase {
        if let database { return database }
        let database = try EventDatabase(
            directory: configuration.directory, key: configuration.key, capacity: configuration.capacity, at: time,
            pageLimit: configuration.pageLimit, replaces: replaces)
        self.database = database
        return database
    }

    /// After a full disk or a concurrent reader's lock the database is unchanged. After any other fault it is reopened.
    private func failed(_ fault: DiskFault) {
        if fault != .full, fault != .inUse { database = nil }
    }
}
