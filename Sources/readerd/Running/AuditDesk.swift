import AccessProtocol
import Crypto
import EventStore
import Logging
import Reactor
import Reader
import Timekeeping

/// Between the reader and its log: hands events to the disk's thread, takes the answers, and says what is wrong.
///
/// On the reactor's thread. Whatever it is told, it never waits.
final class AuditDesk {
    private let store: EventStore
    private let log: Logger
    private let now: () -> AuditTime
    private var trail: AuditTrail
    private var results: [StoreResult] = []
    private var storage = StorageDesk()
    private var restoration = Restoration()
    private var digest: [UInt8]
    /// When the desk was last told the time.
    private var latest = Instant.origin
    private let capacity: LogCapacity
    /// What is told of each record once it is on the disk, while `wantsRecords`.
    var onRecord: ((AuditRecord) -> Void)?
    /// Whether anybody wants records.
    var wantsRecords: () -> Bool = { false }
    private var submitted: [UInt64: AuditEvent] = [:]
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

    /// A desk whose events that it makes itself are stamped with `now`. `pageLimit`: `EventStore.Configuration` has it.
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
        digest = AuditDesk.digest(of: settings)
        results.reserveCapacity(AuditTrail.memoryLimit)
        timeOfHead = EventStore.timeOfHead(in: directory, key: key)
        self.log = log
        self.now = now
    }

    /// Readable while there are answers.
    var descriptor: Int32 { store.descriptor }

    /// When `advance` is to be called next.
    var nextDeadline: Instant? { Instant.earlier(trail.nextDeadline, storage.retryAt) }

    /// Records that the reader starts, and looks up what its configuration was before.
    func start() {
        record(AuditEvent(.start, at: now(), detail: "readerd \(FirmwareVersion.text)"))
        lookUp()
    }

    private func lookUp() {
        restoration = Restoration()
        _ = store.submit(Restoration.contentsRequest, .policy)
        _ = store.submit(Restoration.newestRequest, .events(.newest(StorageDesk.carriedLimit)))
    }

    /// Asks once more for what could not be read, unless the disk has still to answer.
    func lookUpAgain() {
        if !restoration.isUnderWay, restoration.cannotReadContents { lookUp() }
    }

    // MARK: What else is kept

    /// What was kept of an earlier run, once it is known; nil from then on.
    func takeContents() -> StorageDesk.Contents? { restoration.takeContents() }

    /// Whether what was kept cannot be read.
    var cannotReadContents: Bool { restoration.cannotReadContents }

    /// Asks the store for what the reader wants; the answer comes by `nextAnswer`.
    func ask(_ request: StorageRequest) {
        let id = storage.number(of: request)
        guard !store.submit(id, request.work.storeRequest) else { return }
        _ = storage.take(id, .failed(.stalled), at: latest)
    }

    /// The next answer for the reader.
    func nextAnswer() -> (id: UInt64, answer: StorageAnswer)? { storage.nextAnswer() }

    /// The events that phones may take along, if they have changed.
    func takeCarried() -> [Event]? { storage.takeCarried() }

    /// Asks again for what could not be kept, when its time has come; the blacklist as it is in memory then.
    func catchUp(at now: Instant, _ blacklist: () -> [BlacklistRow]) {
        latest = now
        for request in storage.takeBehind(at: now, blacklist) { ask(request) }
    }

    /// Why the last change of the policy could not be kept; nil if it was.
    var changeFault: DiskFault? { storage.changeFault }

    /// Puts a line into the system log, for whoever maintains the reader. It may be lost with the disk.
    func note(_ severity: SystemLine.Severity, _ message: String, file: String = #fileID, line: UInt32 = #line) {
        let name = file.split(separator: "/").last.map(String.init) ?? file
        let entry = SystemLine(time: now(), severity: severity, file: name, line: line, message: message)
        _ = store.submit(StorageDesk.unwaited, .systemLine(entry))
    }

    // MARK: Events

    /// Records an event; nothing waits for it.
    func record(_ event: AuditEvent) { trail.record(event) }

    /// Asks whether somebody may be let in; the verdict comes by `nextVerdict`.
    func request(_ request: OpenRequest, at now: Instant) { self.request(grant: request.id, request.event, at: now) }

    /// The same, for a grant with a number of the caller's.
    func request(grant: UInt64, _ event: AuditEvent, at now: Instant) { trail.request(grant: grant, event, at: now) }

    /// The next verdict on a request.
    func nextVerdict() -> GrantVerdict? { trail.nextVerdict() }

    /// Hands to the disk's thread what it may have now, and what would have waited for more.
    func handOverAll(at instant: Instant) {
        trail.gatherNoMore()
        handOver(at: instant)
    }

    /// Hands to the disk's thread what it may have now.
    func handOver(at instant: Instant) {
        let keepsEvents = wantsRecords()
        while let submission = trail.nextSubmission(at: instant) {
            storage.handedOver(submission.id, submission.event)
            if keepsEvents { submitted[submission.id] = submission.event }
            guard store.submit(submission.id, .append(submission.event)) else {
                storage.failed(submission.id)
                trail.failed(submission.id, .stalled, at: instant, now())
                break
            }
        }
        note()
    }

    /// Takes the answers so far.
    func takeResults(at instant: Instant) {
        store.takeResults(into: &results)
        for result in results { take(result.id, result.answer, at: instant) }
        results.removeAll(keepingCapacity: true)
    }

    /// Takes one answer.
    func take(_ id: UInt64, _ answer: StoreAnswer, at instant: Instant) {
        let event = submitted.isEmpty ? nil : submitted.removeValue(forKey: id)
        if case .appended(let sequence, let state) = answer {
            self.state = state
            if let event { onRecord?(AuditRecord(sequence: sequence, event: event)) }
        }
        if storage.take(id, answer, at: instant) {
            // A log that was cleared has room again.
            if case .appended(_, let state) = answer {
                trail.stored(id, isFull: state.isFull(capacity), at: now())
            }
            return
        }
        switch answer {
        case .appended(let sequence, let state):
            storage.stored(id, as: sequence)
            trail.stored(id, isFull: state.isFull(capacity), at: now())
        case .refused:
            storage.failed(id)
            trail.refused(id)
        case .failed where id == Restoration.contentsRequest: restoration.contentsFailed()
        case .failed where id == Restoration.newestRequest: restoration.newestFailed(timeOfHead: timeOfHead)
        case .failed(let fault):
            storage.failed(id)
            trail.failed(id, fault, at: instant, now())
        case .policy(let document, let mended):
            var contents = StorageDesk.Contents(blacklist: document.blacklist, settings: document.settings)
            contents.mended = mended
            restoration.found(contents)
            compare(document.settings)
        case .policyRefused(let refusal):
            var contents = StorageDesk.Contents(blacklist: [], settings: [:])
            contents.refusal = refusal
            restoration.found(contents)
        case .events(let records):
            storage.found(records)
            restoration.found(records, timeOfHead: timeOfHead)
        case .done, .systemLines, .counters: break
        }
    }

    /// Lets nobody wait longer than the disk may take.
    func advance(to instant: Instant) {
        guard let deadline = trail.nextDeadline, deadline <= instant else { return }
        trail.advance(to: instant, now())
    }

    /// Records the end, and waits a little until all is written; whether it is.
    func close(at instant: Instant) -> Bool {
        trail.end(at: now())
        record(AuditEvent(.stop, at: now()))
        handOver(at: instant)
        return store.close(within: farewellSeconds)
    }

    /// How many events are not on the disk yet.
    var pending: Int { trail.pending }

    /// Takes in what has become known of the log; people are told of it as of other faults.
    private func note() {
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
}

// MARK: - The configuration

extension AuditDesk {
    private static let digestSetting = "configuration-digest"

    /// Records that the configuration is another one from now on.
    func configured(_ settings: ReaderSettings, actor: String) {
        digest = AuditDesk.digest(of: settings)
        record(AuditEvent(.configurationChanged, at: now(), actor: actor))
        keepDigest()
    }

    /// Whether the configuration is what it was when the reader last ran.
    private func compare(_ settings: [String: [UInt8]]) {
        guard settings[AuditDesk.digestSetting] != digest else { return }
        if settings[AuditDesk.digestSetting] != nil { record(AuditEvent(.configurationChanged, at: now())) }
        keepDigest()
    }

    private func keepDigest() {
        ask(StorageRequest(id: nil, work: .setting(AuditDesk.digestSetting, digest)))
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
