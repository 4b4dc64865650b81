import AccessProtocol
import Crypto
import EventStore
import Logging
import Reader
import Timekeeping

/// Between the reader and the event store: hands records, changes and questions to the store's thread, takes its answers,
/// and knows what is wrong with the disk.
///
/// On the reactor's thread. Whatever it is told, it never waits.
final class EventRecorder {
    /// What an answer of the store comes to, for the process.
    enum Outcome {
        /// An opening that waited for its record is decided.
        case decided(OpeningVerdict)
        /// A phone's command has its answer.
        case answered(CommandID, StorageAnswer)
        /// What was kept of an earlier run is known.
        case found(StoredContents)
        /// What was kept cannot be read.
        case policyUnreadable
    }

    private let store: EventStore
    private let log: Logger
    private let now: () -> AuditTime
    private var trail: AuditTrail
    private var results: [StoreResult] = []
    private var changes = PolicyChanges()
    private var carried = CarriedRecords()
    private var restoration = Restoration()
    private var digest: [UInt8]
    /// The time of the last turn.
    private var latest = Instant.origin
    private let capacity: LogCapacity
    /// Called with each record that is on the disk.
    var onRecord: ((AuditRecord) -> Void)?
    /// Whether the log is full and refuses.
    private(set) var isFull = false
    /// Why the log cannot be written; nil while it can.
    private(set) var fault: DiskFault?
    /// How many records there are, and the newest one's number; nil before the first answer of the disk.
    private(set) var state: LogState?

    /// When the last event of an earlier run was, as the file beside the log says; nil if it does not.
    let timeOfHead: Int64?

    /// How long the end of the process may wait for the disk.
    private let farewellSeconds: Int

    /// A recorder whose own events are stamped with `now`. `pageLimit`: `EventStore.Configuration` has it.
    init(
        _ settings: ReaderSettings, directory: String, key: AuditKey, pageLimit: Int64 = 0, farewellSeconds: Int = 2,
        log: Logger, now: @escaping () -> AuditTime
    ) throws(ReaderdError) {
        self.farewellSeconds = farewellSeconds
        var configuration = EventStore.Configuration(
            directory: directory, key: key, capacity: settings.events.logCapacity)
        configuration.pageLimit = pageLimit
        do throws(DiskFault) { store = try EventStore(configuration) } catch {
            throw .failed("the thread that writes the events cannot be started: too many threads or descriptors")
        }
        capacity = settings.events.logCapacity
        trail = AuditTrail(settings.events.policy)
        digest = EventRecorder.digest(of: settings)
        results.reserveCapacity(AuditTrail.memoryLimit)
        timeOfHead = EventStore.timeOfHead(in: directory, key: key)
        self.log = log
        self.now = now
    }

    /// Readable while there are answers.
    var descriptor: Int32 { store.descriptor }

    /// When `advance` is to be called next.
    var nextDeadline: Instant? { Instant.earlier(trail.nextDeadline, changes.retryAt) }

    /// Records that the reader starts, and looks up what its configuration was before.
    func start() {
        record(AuditEvent(.start, at: now(), detail: "readerd \(FirmwareVersion.text)"))
        lookUp()
    }

    private func lookUp() {
        restoration = Restoration()
        _ = store.submit(.policy, .policy)
        _ = store.submit(.newestRecords, .events(.newest(CarriedRecords.limit)))
    }

    /// Asks once more for what could not be read, unless the disk has still to answer.
    func lookUpAgain() {
        if !restoration.isUnderWay, restoration.cannotReadContents { lookUp() }
    }

    // MARK: Events

    /// Records an event; nothing waits for it.
    func record(_ event: AuditEvent) { trail.record(event) }

    /// Records the event of an opening: the decision, or nil if that comes as an outcome.
    func request(_ opening: OpeningToken, _ event: AuditEvent, at now: Instant) -> StatusCode? {
        trail.request(opening, event, at: now)
    }

    /// Hands to the disk's thread what it may have now, and what would have waited for more.
    func handOverAll(at instant: Instant) -> OpeningVerdict? {
        trail.gatherNoMore()
        return handOver(at: instant)
    }

    /// Hands to the disk's thread what it may have now. Returns the decision about an opening whose record it does not
    /// take.
    func handOver(at instant: Instant) -> OpeningVerdict? {
        var verdict: OpeningVerdict?
        while let submission = trail.nextSubmission(at: instant) {
            guard store.submit(.record(submission.id), .append(submission.event)) else {
                verdict = trail.failed(submission.id, .stalled, at: instant, now())
                break
            }
        }
        noteTrail()
        return verdict
    }

    /// Lets nobody wait longer than the disk may take.
    func advance(to instant: Instant) -> [OpeningVerdict] {
        guard let deadline = trail.nextDeadline, deadline <= instant else { return [] }
        return trail.advance(to: instant, now())
    }

    /// Records the end, and waits a little until all is written; whether it is.
    func close(at instant: Instant) -> Bool {
        trail.end(at: now())
        record(AuditEvent(.stop, at: now()))
        _ = handOver(at: instant)
        return store.close(within: farewellSeconds)
    }

    /// How many events are not on the disk yet.
    var pending: Int { trail.pending }

    /// Takes in what has become known of the log; people are told of it as of other faults.
    private func noteTrail() {
        while let notice = trail.nextNotice() {
            switch notice {
            case .failing(let fault): self.fault = fault
            case .restored(let lost):
                fault = nil
                if restoration.isIncomplete { lookUp() }
                if lost > 0 { log.warning("events: \(lost) events were lost while the log could not be written") }
            case .full: isFull = true
            case .roomy: isFull = false
            }
        }
    }

    // MARK: What else is kept

    /// Hands a request to the store. Returns what comes of it at once, if the store takes no more.
    func ask(_ request: StorageRequest) -> Outcome? {
        let token = changes.begin(request)
        guard !store.submit(token, request.work.storeRequest) else { return nil }
        return take(StoreResult(token: token, answer: .failed(.stalled)), at: latest)
    }

    /// Keeps a setting, or takes it away, as soon as the disk does.
    func keep(_ name: String, _ value: [UInt8]?) {
        _ = ask(StorageRequest(id: nil, work: .setting(name, value)))
    }

    /// Puts again what could not be kept, when its time has come; the blacklist as it is in memory then.
    func catchUp(at now: Instant, _ blacklist: () -> [BlacklistRow]) {
        latest = now
        for request in changes.takeBehind(at: now, blacklist) { _ = ask(request) }
    }

    /// Why the last change of the policy could not be kept; nil if it was.
    var changeFault: DiskFault? { changes.fault }

    /// Gives up the events that phones may take along, oldest first, if they have changed.
    func takeCarried() -> [Event]? { carried.takeChanged() }

    /// Puts a line into the system log, for whoever maintains the reader. It may be lost with the disk.
    func note(_ severity: SystemLine.Severity, _ message: String, file: String = #fileID, line: UInt32 = #line) {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let entry = SystemLine(time: now(), severity: severity, file: name, line: line, message: message)
        _ = store.submit(.unawaited, .systemLine(entry))
    }

    // MARK: Answers of the store

    /// Takes the answers so far, and hands on what they come to.
    func takeResults(at instant: Instant, _ perform: (Outcome) -> Void) {
        store.takeResults(into: &results)
        for result in results {
            if let outcome = take(result, at: instant) { perform(outcome) }
        }
        results.removeAll(keepingCapacity: true)
    }

    /// Takes one answer.
    func take(_ result: StoreResult, at instant: Instant) -> Outcome? {
        if case .appended(_, let state) = result.answer { self.state = state }
        switch result.token {
        case .record(let id): return take(result.answer, to: id, at: instant)
        case .command(let id):
            // The one event that a command appends so is a clearing, after which there is room again.
            if case .appended(_, let state) = result.answer {
                carried.clear()
                trail.setFull(state.isFull(capacity))
            }
            return .answered(id, StorageAnswer(result.answer))
        case .blacklist(let id), .setting(_, let id):
            changes.end(result.token, result.answer, at: instant)
            return id.map { .answered($0, StorageAnswer(result.answer)) }
        case .policy: return takePolicy(result.answer)
        case .newestRecords: return takeNewest(result.answer).map(Outcome.found)
        case .unawaited: return nil
        }
    }

    private func take(_ answer: StoreAnswer, to id: RecordID, at instant: Instant) -> Outcome? {
        switch answer {
        case .appended(let sequence, let state):
            guard let (event, opening) = trail.stored(id, isFull: state.isFull(capacity), at: now()) else { return nil }
            let record = AuditRecord(sequence: sequence, event: event)
            carried.append(record)
            onRecord?(record)
            return opening.map { .decided(OpeningVerdict(opening: $0, status: .ok)) }
        case .refused: return trail.refused(id).map(Outcome.decided)
        case .failed(let fault): return trail.failed(id, fault, at: instant, now()).map(Outcome.decided)
        default: return nil
        }
    }

    private func takePolicy(_ answer: StoreAnswer) -> Outcome? {
        switch answer {
        case .policy(let document, let mended):
            restoration.found(
                StoredContents(blacklist: document.blacklist, settings: document.settings, mended: mended))
            compare(document.settings)
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

    /// Records that the configuration is another one from now on.
    func configured(_ settings: ReaderSettings, actor: String) {
        digest = EventRecorder.digest(of: settings)
        record(AuditEvent(.configurationChanged, at: now(), actor: actor))
        keep(EventRecorder.digestSetting, digest)
    }

    /// Records that the configuration is another one than when the reader last ran, if so.
    private func compare(_ settings: [String: [UInt8]]) {
        guard settings[EventRecorder.digestSetting] != digest else { return }
        if settings[EventRecorder.digestSetting] != nil { record(AuditEvent(.configurationChanged, at: now())) }
        keep(EventRecorder.digestSetting, digest)
    }

    /// A hash of everything that a configuration says.
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
