// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Configuration
import Crypto
import EventStore
import Logging
import Reader
import Timekeeping

/// The link between the reader's ledger and the event store: submits records, changes and queries to the store's
/// thread, receives its answers, and tracks the disk's faults.
///
/// On the reactor's thread; never blocks.
final class EventRecorder {
    /// The result of a store's answer, for the process.
    enum Outcome {
        /// A record is on the disk.
        case stored(AuditRecord)
        /// The answer to a phone's command.
        case answered(CommandID, StorageAnswer)
        /// The stored contents of an earlier run.
        case found(StoredContents)
        /// The stored policy cannot be read.
        case policyUnreadable
        /// A part of the log for the link to a fleet; nil if it cannot be read.
        case sliced(LogSlice?)
        /// The change before an order of a back end is on the disk, or could not be kept.
        case orderKept(UInt64, Bool)
        /// The desired state of this version is on the disk, or could not be kept.
        case desiredKept(UInt64, Bool)
    }

    private let store: EventStore
    private let log: Logger
    private let now: () -> AuditTime
    private var changes = PolicyChanges()
    /// The pace of lines of the system log, by file: each is a write of the disk.
    private var notes = LinePacing(limit: 60)
    private var carried = CarriedRecords()
    private var restoration = Restoration()
    private var digest: [UInt8]
    /// The time of the last `catchUp`.
    private var latest = Instant.origin
    private let capacity: LogCapacity
    /// The state of the log; nil before the first record was written.
    private(set) var state: LogState?

    /// The time of the last event of an earlier run according to the file next to the log; nil if unknown.
    let timeOfHead: Int64?

    /// The maximum time in seconds that the process waits for the disk at its end.
    private let closeTimeoutSeconds: Int
    /// True until the clock of an earlier run is known.
    private var isHolding = true

    /// Creates a recorder. `now` returns the time of its events; for `pageLimit` see `EventStore.Configuration`.
    init(
        _ settings: ReaderSettings, directory: String, key: AuditKey, pageLimit: Int64 = 0,
        closeTimeoutSeconds: Int = 2,
        log: Logger, now: @escaping () -> AuditTime
    ) throws(ReaderdError) {
        self.closeTimeoutSeconds = closeTimeoutSeconds
        var configuration = EventStore.Configuration(
            directory: directory, key: key, capacity: settings.events.logCapacity)
        configuration.pageLimit = pageLimit
        do throws(DiskFault) { store = try EventStore(configuration) } catch {
            throw .failed("cannot start the thread of the event store: too many threads or descriptors")
        }
        capacity = settings.events.logCapacity
        digest = EventRecorder.digest(of: settings)
        timeOfHead = EventStore.timeOfHead(in: directory, key: key)
        self.log = log
        self.now = now
    }

    /// Readable while there are answers.
    var descriptor: Int32 { store.descriptor }

    /// The time of the next call of `catchUp`.
    var nextDeadline: Instant? { changes.retryAt }

    /// Starts to write records.
    func release() { isHolding = false }

    /// Loads the stored policy and the newest records.
    func lookUp() {
        restoration = Restoration()
        _ = store.submit(.policy, .policy)
        _ = store.submit(.newestRecords, .events(.newest(CarriedRecords.limit)))
    }

    /// Repeats queries for contents that could not be read, unless answers are pending.
    func lookUpAgain() {
        if !restoration.isUnderWay, restoration.cannotReadContents { lookUp() }
    }

    // MARK: Events

    /// Submits the records that are due.
    func submit(_ ledger: inout RecordLedger, at instant: Instant) {
        while !isHolding, let submission = ledger.nextSubmission(at: instant) {
            guard store.submit(.record(submission.id), .append(submission.event)) else {
                ledger.failed(submission.id, .stalled, at: instant, now())
                break
            }
        }
        apply(&ledger)
    }

    /// Records the end, and waits for the disk; false if that takes too long.
    func close(_ ledger: inout RecordLedger, at instant: Instant) -> Bool {
        ledger.end(at: now())
        isHolding = false
        ledger.record(AuditEvent(.stop, at: now()))
        submit(&ledger, at: instant)
        return store.close(within: closeTimeoutSeconds)
    }

    /// Applies the ledger's notices.
    private func apply(_ ledger: inout RecordLedger) {
        while let notice = ledger.nextNotice() {
            guard case .restored(let lost) = notice else { continue }
            if restoration.isIncomplete { lookUp() }
            if lost > 0 { log.warning("events: \(lost) events lost while the log was not writable") }
        }
    }

    /// Asks for records from a sequence number on; false if the store accepts no more.
    func slice(from first: UInt64, limit: Int) -> Bool {
        store.submit(.link, .slice(from: first, limit: limit))
    }

    // MARK: Policy and system log

    /// Submits a request. `seconds` is the latest time that the clock has shown, since 1970 in UTC. Returns the outcome
    /// of a failure if the store accepts no more.
    func submit(_ request: StorageRequest, at seconds: Int64?) -> Outcome? {
        let token = changes.begin(request)
        guard !store.submit(token, request.work.storeRequest(at: seconds)) else { return nil }
        return outcome(of: StoreResult(token: token, answer: .failed(.stalled)), at: latest)
    }

    /// Stores a setting, or removes it; repeated until the disk accepts it.
    func keep(_ name: String, _ value: [UInt8]?) {
        _ = submit(StorageRequest(id: nil, work: .setting(name, value)), at: nil)
    }

    /// Stores a setting before the order of this ticket is carried out; false if the store accepts no more. Unlike
    /// other changes it is not repeated: the order is refused, and an older value must not follow a newer one.
    func keep(_ name: String, _ value: [UInt8], order ticket: UInt64) -> Bool {
        store.submit(.order(ticket), .change(.setting(name, value)))
    }

    /// Stores a back end's desired state of this version: a setting, and the blacklist if it is part of it; false if
    /// the store accepts no more. It is not repeated, as for an order.
    func keep(_ name: String, _ value: [UInt8], with list: BlacklistChange?, version: UInt64) -> Bool {
        store.submit(
            .desired(version), .change(list.map { .both($0, name, value) } ?? .setting(name, value)))
    }

    /// Stores a setting once; it may be lost with a disk fault.
    func keepOnce(_ name: String, _ value: [UInt8]) { _ = store.submit(.unawaited, .change(.setting(name, value))) }

    /// Submits failed changes again when they are due, with the present blacklist.
    func catchUp(at now: Moment, _ blacklist: () -> [BlacklistRow]) {
        latest = now.instant
        for request in changes.takeOverdue(at: now.instant, blacklist) { _ = submit(request, at: now.latestSeconds) }
    }

    /// The fault of the last change of the policy; nil if it was stored.
    var changeFault: DiskFault? { changes.fault }

    /// Returns the events for phones to carry, oldest first, if they have changed.
    func takeCarried() -> [Event]? { carried.takeChanged() }

    /// Adds a line to the system log, for maintenance. It may be lost with a disk fault, or in a flood.
    func writeLine(_ severity: SystemLine.Severity, _ message: String, file: String = #fileID, line: UInt32 = #line) {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        for count in notes.takeCounts(at: latest) {
            write(.warning, "\(count.omitted) further lines within a minute", name, line)
        }
        if notes.admits(name, at: latest) { write(severity, message, name, line) }
    }

    private func write(_ severity: SystemLine.Severity, _ message: String, _ name: String, _ line: UInt32) {
        let entry = SystemLine(time: now(), severity: severity, file: name, line: line, message: message)
        _ = store.submit(.unawaited, .systemLine(entry))
    }

    // MARK: Answers of the store

    /// Calls `body` with the available answers, for `receive`.
    func forEachResult(_ body: (StoreResult) -> Void) { store.forEachResult(body) }

    /// Handles one answer.
    func receive(_ result: StoreResult, _ ledger: inout RecordLedger, at instant: Instant) -> Outcome? {
        if case .appended(_, let state) = result.answer { self.state = state }
        switch result.token {
        case .record(let id): return receive(result.answer, to: id, &ledger, at: instant)
        case .command:
            // The only event appended by a command is a clearing, after which there is room again.
            if case .appended(_, let state) = result.answer {
                carried.clear()
                ledger.setFull(state.isFull(capacity))
            }
            return outcome(of: result, at: instant)
        case .blacklist, .setting, .order, .desired: return outcome(of: result, at: instant)
        case .policy: return takePolicy(result.answer, &ledger)
        case .newestRecords: return takeNewest(result.answer).map(Outcome.found)
        case .link:
            if case .slice(let slice) = result.answer { return .sliced(slice) }
            return .sliced(nil)
        case .unawaited: return nil
        }
    }

    /// The outcome of a query, or of a change of the policy.
    private func outcome(of result: StoreResult, at instant: Instant) -> Outcome? {
        switch result.token {
        case .blacklist, .setting, .order, .desired: changes.end(result.token, result.answer, at: instant)
        default: break
        }
        return switch result.token {
        case .command(let id): .answered(id, StorageAnswer(result.answer))
        case .blacklist(let id), .setting(_, let id): id.map { .answered($0, StorageAnswer(result.answer)) }
        case .order(let ticket): .orderKept(ticket, result.answer == .done)
        case .desired(let version): .desiredKept(version, result.answer == .done)
        default: nil
        }
    }

    private func receive(
        _ answer: StoreAnswer, to id: RecordID, _ ledger: inout RecordLedger, at instant: Instant
    ) -> Outcome? {
        switch answer {
        case .appended(let sequence, let state):
            let isFull = state.isFull(capacity)
            guard let event = ledger.stored(id, sequence: sequence, isFull: isFull, at: instant, now()) else {
                return nil
            }
            let record = AuditRecord(sequence: sequence, event: event)
            carried.append(record)
            return .stored(record)
        case .refused: ledger.refused(id)
        case .failed(let fault): ledger.failed(id, fault, at: instant, now())
        default: break
        }
        return nil
    }

    private func takePolicy(_ answer: StoreAnswer, _ ledger: inout RecordLedger) -> Outcome? {
        switch answer {
        case .policy(let document, let mended):
            restoration.found(
                StoredContents(blacklist: document.blacklist, settings: document.settings, mended: mended))
            compare(document.settings, &ledger)
        case .policyRefused(let refusal): restoration.found(StoredContents(refusal: refusal))
        default:
            restoration.contentsFailed()
            return .policyUnreadable
        }
        return nil
    }

    private func takeNewest(_ answer: StoreAnswer) -> StoredContents? {
        guard case .events(let records) = answer else { return restoration.newestFailed(timeOfHead: timeOfHead) }
        carried.found(records)
        return restoration.found(records, timeOfHead: timeOfHead)
    }
}

// MARK: - The configuration

extension EventRecorder {
    private static let digestSetting = "configuration-digest"

    /// Records a change of the configuration.
    func configured(_ settings: ReaderSettings, _ ledger: inout RecordLedger) {
        digest = EventRecorder.digest(of: settings)
        ledger.record(AuditEvent(.configurationChanged, at: now()))
        keep(EventRecorder.digestSetting, digest)
    }

    /// Records a change of the configuration since the last run, if any.
    private func compare(_ settings: [String: [UInt8]], _ ledger: inout RecordLedger) {
        guard settings[EventRecorder.digestSetting] != digest else { return }
        if settings[EventRecorder.digestSetting] != nil {
            ledger.record(AuditEvent(.configurationChanged, at: now()))
        }
        keep(EventRecorder.digestSetting, digest)
    }

    /// Returns a hash of all settings.
    private static func digest(of settings: ReaderSettings) -> [UInt8] {
        let lines = SettingKey.all.map { "\($0.name)=\($0.written(settings) ?? "")\n" }
        let text = Array(lines.joined().utf8)
        var octets: [UInt8] = []
        if let digest = try? SHA256.hash(text.span) {
            for index in digest.indices { octets.append(digest[index]) }
        }
        return octets
    }
}
