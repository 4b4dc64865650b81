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
    let audit: AuditDesk
    private var clock = ClockWatch()
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

    /// How long links and advertising may take to end when the process is asked to.
    private static let farewell = Duration.milliseconds(500)

    init(
        _ reactor: Reactor, connection: ControllerConnection, device: consuming ReaderDevice<SystemRandomSource>,
        lines: consuming ReaderLines, audit: AuditDesk, wall: WallClock, operation: consuming Operation, log: Logger
    ) {
        self.operation = operation
        startedAt = reactor.now
        self.audit = audit
        self.reactor = reactor
        self.connection = connection
        self.device = device
        self.lines = lines
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
            settle()
        }
        audit.start()
        device.startDoor(at: moment)
        settle()
        startOperation()
        connection.open()
        try reactor.run()
        answers.cancel()
        endOperation()
        if !audit.close(at: reactor.now) {
            log.error("events: the disk does not answer: the last events may be lost")
        }
        return exitCode
    }

    /// The signals that end the process; to be blocked before anything else.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    var moment: Moment {
        Moment(instant: reactor.now, epochSeconds: wall.epochSeconds)
    }

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
            audit.record(AuditEvent(.lineFailed, at: auditTime, detail: output.rawValue))
        }
    }

    private func setTimer() {
        guard let deadline = [device.nextDeadline, audit.nextDeadline].compactMap(\.self).min() else {
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

    var auditTime: AuditTime {
        AuditTime(moment, utcOffsetMinutes: wall.utcOffsetMinutes, quality: wall.quality)
    }

    /// Records what happened, lets in who may be, and hands the events to the disk: before the door, since it may
    /// wait for that, and the packets, since an answer may.
    private func settleAudit() {
        let moment = moment
        if let step = clock.look(moment) {
            log.warning("the clock went \(step > 0 ? "ahead" : "back") by \(abs(step)) s")
            audit.record(AuditEvent(.clockStepped, at: auditTime, info: Int32(clamping: step)))
        }
        recordEvents()
        for request in device.takeOpenRequests() {
            latency.requested(request.id)
            audit.request(stamped(request), at: moment.instant)
        }
        decide(at: moment)
        audit.handOver(at: moment.instant)
        // A disk that takes no more is answered at once.
        decide(at: moment)
        recordEvents()
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
        case .controllerReady, .advertising, .connected, .near, .refused, .messageRefused, .executed, .decided,
            .blacklisted, .unanswerable, .disconnected, .door:
            .info
        }
    }
}
