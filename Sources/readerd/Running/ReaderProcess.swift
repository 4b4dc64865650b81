import AccessProtocol
import Crypto
import Glibc
import Logging
import Peripheral
import Reactor
import Reader
import Timekeeping

/// The running reader: a device, the descriptors and lines that it needs, and the reactor that moves them.
///
/// All of it on the reactor's thread. After every input the device is settled: its packets sent, its lines moved,
/// what happened logged, and the timer set to its next deadline.
final class ReaderProcess {
    let reactor: Reactor
    let log: Logger
    let wall: WallClock
    var device: ReaderDevice<SystemRandomSource>
    private var lines: ReaderLines
    private let inputs: InputLines
    let audit: AuditDesk
    /// The NFC front end, if there is one.
    let contactless: ContactlessDesk?
    var contactlessWatch: Watch?
    /// What is kept of how far the reader's clock is ahead of the system's.
    private var keptOffset: Int64 = 0
    private var controllerHasFailed = false
    private var connection: ControllerConnection
    private var timer: Timer?
    private var packet: [UInt8] = []
    private var isEnding = false
    private var exitCode: Int32 = 0
    /// Outputs whose last setting failed.
    private(set) var failing: Set<DoorOutput> = []
    /// What an operator sees and changes.
    var operation: Operation
    var metrics = ReaderMetrics()
    var latency = OpeningLatency()
    /// Operator's requests that wait for their record, by ticket.
    var operatorRequests: [UInt64: OperatorRequest] = [:]
    let startedAt: Instant

    /// Whether what was kept of an earlier run is known, or was given up.
    private var isRestored = false

    /// How long a disk may take to tell what was kept, before the reader goes on without, as far as the audit lets it.
    private static let restorationWait = Duration.seconds(3)
    /// How long links and advertising may take to end when the process is asked to.
    private static let farewell = Duration.milliseconds(500)

    init(
        _ reactor: Reactor, connection: ControllerConnection, device: consuming ReaderDevice<SystemRandomSource>,
        lines: consuming ReaderLines, inputs: InputLines, audit: AuditDesk, contactless: ContactlessDesk?,
        wall: WallClock, operation: consuming Operation, log: Logger
    ) {
        self.operation = operation
        startedAt = reactor.now
        self.audit = audit
        self.contactless = contactless
        self.reactor = reactor
        self.connection = connection
        self.device = device
        self.lines = lines
        self.inputs = inputs
        self.wall = wall
        self.log = log
    }

    /// Runs until a signal asks for the end, or the controller can't be reached at all; the exit status.
    func run() throws(SystemError) -> Int32 {
        try reactor.onSignal(ReaderProcess.signals) { [self] signal in
            if signal == SIGHUP { reload() } else { end(signal) }
        }
        connection.owner = self
        let answers = try reactor.watch(audit.descriptor, .readable) { [self] _ in
            audit.takeResults(at: reactor.now)
            takeAnswers()
            settle()
        }
        audit.start()
        device.awaitRestoration()
        reactor.schedule(at: reactor.now + ReaderProcess.restorationWait) { [self] in goOnWithout() }
        device.startDoor(at: moment)
        settle()
        try inputs.start(reactor) { [self] input, readings in take(readings, of: input) }
        try startContactless()
        startOperation()
        connection.open()
        try reactor.run()
        inputs.stop()
        answers.cancel()
        endOperation()
        if !audit.close(at: reactor.now) {
            log.error("events: the disk does not answer: the last events may be lost")
        }
        endContactless()
        return exitCode
    }

    /// The signals that end the process; to be blocked before anything else.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    var moment: Moment { wall.moment }

    func end(_ signal: CInt) {
        guard !isEnding else { return reactor.stop() }
        isEnding = true
        operation.service?.stopping()
        log.notice("ending on signal \(signal): closing links, settling the door")
        device.shutDown(at: moment)
        settle()
        guard !device.isQuiet else { return reactor.stop() }
        reactor.schedule(at: reactor.now + ReaderProcess.farewell) { [reactor] in reactor.stop() }
    }

    func settle() {
        settleAudit()
        // The lock before all else: somebody stands at the door.
        for action in device.takeDoorActions() { move(action) }
        latency.settled()
        settleContactless()
        while device.popPacket(into: &packet) { connection.send(packet.span) }
        connection.flush()
        while let notice = device.nextNotice() { tell(notice) }
        audit.handOver(at: reactor.now)
        connection.updateInterest()
        setTimer()
        if isEnding, device.isQuiet { reactor.stop() }
    }

    /// A line that fails does not stop the others, nor the reader: a person has to see it, once, and the door tries
    /// again.
    private func move(_ action: DoorAction) {
        let (output, now) = (action.output, reactor.now)
        do {
            try lines.apply(action, at: now)
            if output == .lock, let passed = latency.lockMoved(at: reactor.now) { metrics.count(latency: passed) }
            log.debug("line: \(output.rawValue) \(action.level ? "on" : "off")")
            if failing.remove(output) != nil {
                log.notice("line: \(output.rawValue) can be set again")
                audit.record(AuditEvent(.lineRestored, at: auditTime, detail: output.rawValue))
            }
        } catch {
            device.doorOutputFailed(output, at: now)
            guard failing.insert(output).inserted else { return }
            log.error("line: \(output.rawValue) could not be set, and is tried again: \(error)")
            audit.note(.error, "line: \(output.rawValue) could not be set: \(error)")
            audit.record(AuditEvent(.lineFailed, at: auditTime, detail: output.rawValue))
        }
    }

    /// What is known of an input's line goes to the door.
    private func take(_ readings: [InputLines.Reading], of input: DoorInput) {
        for reading in readings {
            switch reading {
            case .level(let isActive, let edge):
                device.doorLine(input, isActive: isActive, since: edge, at: moment)
            case .lost(let error):
                device.doorLineLost(input, at: moment)
                log.error("line: \(input.rawValue) cannot be read, and is tried again: \(error)")
                audit.record(AuditEvent(.lineFailed, at: auditTime, detail: input.rawValue))
            case .restored:
                log.notice("line: \(input.rawValue) can be read again")
                audit.record(AuditEvent(.lineRestored, at: auditTime, detail: input.rawValue))
            }
        }
        settle()
    }

    private func setTimer() {
        guard let deadline = [device.nextDeadline, audit.nextDeadline, wall.nextDeadline].compactMap(\.self).min()
        else {
            timer?.cancel()
            return
        }
        if let timer {
            if !timer.isPending || timer.deadline != deadline { timer.reschedule(at: deadline) }
        } else {
            timer = reactor.schedule(at: deadline) { [self] in
                audit.advance(to: reactor.now)
                device.advance(to: moment)
                settle()
            }
        }
    }

    // MARK: Events

    var auditTime: AuditTime { wall.auditTime }

    /// Records what happened, lets in who may be, and hands the events to the disk: before the door, since it may
    /// wait for that, and the packets, since an answer may.
    private func settleAudit() {
        tell(wall.observe())
        let moment = moment
        recordEvents()
        for request in device.takeOpenRequests() {
            latency.requested(request.id)
            audit.request(stamped(request), at: moment.instant)
        }
        for request in device.takeStorageRequests() { ask(request) }
        decide(at: moment)
        audit.handOver(at: moment.instant)
        // A disk that takes no more is answered at once.
        decide(at: moment)
        recordEvents()
    }

    /// Asks the clock, or the store.
    private func ask(_ request: StorageRequest) {
        guard case .clock(let seconds) = request.work else { return audit.ask(request) }
        let former = wall.epochSeconds
        var events: [ReaderClock.Event] = []
        let outcome = wall.set(to: seconds, by: .phone, into: &events)
        tell(events)
        if outcome == .tooEarly || outcome == .tooFarBack {
            let step = former.map { seconds - $0 } ?? 0
            log.warning("a phone was to set the clock by \(step) s, which only an operator may do")
            audit.record(AuditEvent(.clockStepRefused, at: auditTime, info: Int32(clamping: step)))
        }
        if let id = request.id { device.answerStorage(id, .clock(outcome), at: moment) }
    }

    func tell(_ events: [ReaderClock.Event]) {
        for event in events {
            let isGood = event == .quality(.synchronised) || event.auditKind == .clockSet
            log.log(level: isGood ? .notice : .warning, "\(event)")
            audit.record(AuditEvent(event.auditKind, at: auditTime, info: event.auditInfo))
        }
        guard wall.offset != keptOffset else { return }
        keptOffset = wall.offset
        let octets = StorageDesk.Contents.octets(offset: keptOffset)
        audit.ask(StorageRequest(id: nil, work: .setting(StorageDesk.Contents.clockOffset, octets)))
    }

    /// Begins with the clock as it was left. That a system's clock shows the time at a start is nothing to record.
    private func beginClock(offset: Int64, lastEvent: Int64?) {
        keptOffset = offset
        let events = wall.begin(offset: offset, lastEvent: lastEvent)
        tell(events.filter { $0.auditKind != .clockSet })
    }

    /// Hands the reader what the store has answered, and what was kept of an earlier run.
    private func takeAnswers() {
        if let contents = audit.takeContents() {
            isRestored = true
            adopt(contents.settings[PushedConfiguration.setting])
            beginClock(offset: contents.offset, lastEvent: contents.lastEvent)
            let left = device.restore(contents.blacklist, at: moment)
            if left > 0 {
                log.warning(
                    "credentials.blacklist-capacity is too small: \(left) entries of the blacklist are left out")
            }
        } else if audit.cannotReadContents {
            goOnWithout()
        }
        if audit.wantsBlacklist() {
            audit.ask(StorageRequest(id: nil, work: .blacklist(.replace(device.blacklistRows))))
        }
        while let (id, answer) = audit.nextAnswer() { device.answerStorage(id, answer, at: moment) }
        wall.use(device.zone)
        if let events = audit.takeCarried() { device.setEventsToCarry(events) }
    }

    /// Takes over what a backend has pushed in an earlier run.
    private func adopt(_ kept: [UInt8]?) {
        guard let kept else { return }
        do throws(StatusCode) {
            device.adopt(try PushedConfiguration(kept: kept), at: moment)
            wall.use(device.zone)
            log.notice("a pushed configuration comes before the file's")
        } catch {
            log.error("the configuration that was pushed cannot be used any more (\(error.rawValue)): the file's holds")
        }
    }

    /// What was kept cannot be read, or not in time: the rest is for the audit's policy, and it is put in when it comes.
    private func goOnWithout() {
        guard !isRestored else { return }
        isRestored = true
        log.error("the stored blacklist cannot be read: credentials that were called back are not known")
        beginClock(offset: 0, lastEvent: nil)
        device.restoreNothing()
        settle()
    }

    private func recordEvents() {
        for event in device.takeAuditEvents() {
            if event.kind == .denied { metrics.count(.denied) }
            if event.kind == .withdrawn { metrics.count(.withdrawn) }
            audit.record(stamped(event))
        }
    }

    /// The reader knows what its clock shows, and the shell how far that can be believed.
    private func stamped(_ event: AuditEvent) -> AuditEvent {
        var event = event
        if event.time.quality != .unset { event.time.quality = wall.quality }
        return event
    }

    private func stamped(_ request: OpenRequest) -> OpenRequest {
        var request = request
        request.event = stamped(request.event)
        return request
    }

    private func decide(at moment: Moment) {
        while let verdict = audit.nextVerdict() {
            if decideOperator(verdict, at: moment) { continue }
            metrics.count(verdict.status == .ok ? .granted : .withdrawn)
            latency.decided(verdict.grant, isGranted: verdict.status == .ok)
            device.decideOpening(verdict.grant, verdict.status, at: moment)
        }
    }

    private func tell(_ notice: ReaderNotice) {
        log.log(level: notice.level, "\(notice)")
        if notice.level >= .warning { audit.note(.warning, "\(notice)") }
        metrics.count(notice)
        operation.tellService(notice)
        switch notice {
        case .controllerFailed(let fault) where !controllerHasFailed:
            controllerHasFailed = true
            audit.record(AuditEvent(.controllerFailed, at: auditTime, detail: fault.summary))
        case .controllerReady where controllerHasFailed:
            controllerHasFailed = false
            audit.record(AuditEvent(.controllerRestored, at: auditTime))
        default: break
        }
    }
}

extension ReaderProcess: ControllerConnectionOwner {
    func controllerReached() {
        device.start(at: moment)
        settle()
    }

    func controllerSent(_ packet: Span<UInt8>) {
        let moment = moment
        latency.packetCame(at: moment.instant)
        device.receive(packet, at: moment)
    }

    func controllerPaused() {
        settle()
    }

    func controllerLost() {
        device.transportLost(at: moment)
        settle()
    }

    func controllerUnavailable(_ why: String) {
        log.error("\(why)")
        exitCode = 1
        device.shutDown(at: moment)
        settle()
        reactor.stop()
    }
}

extension ReaderNotice {
    /// What an operator wants to see at which level: decisions always, measurements for debugging.
    fileprivate var level: Logger.Level {
        switch self {
        case .measured: .debug
        case .controllerFailed, .rssiUnavailable, .unserved: .warning
        case .door(.forced), .door(.ajar), .door(.alarmLasts), .door(.fire), .door(.tamper(true)), .door(.lockdown),
            .door(.lockout(true)):
            .warning
        case .controllerReady, .advertising, .connected, .near, .refused, .messageRefused, .executed, .decided,
            .blacklisted, .unanswerable, .disconnected, .repeated, .doorStarted, .door, .tapped, .tapEnded:
            .info
        }
    }
}
