// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import Logging
import System
import Reader
import Timekeeping

/// The running reader: a device, its descriptors and lines, and the reactor that drives them.
///
/// Everything is on the reactor's thread. After every input the device is settled: packets are sent, lines set, notices
/// logged, and the timer set to the next deadline.
final class ReaderProcess {
    let reactor: Reactor
    let log: Logger
    let wall: WallClock
    var device: ReaderDevice<SystemRandomSource>
    var lines: ReaderLines
    private let inputs: InputLines
    let audit: EventRecorder
    /// The NFC front end, if there is one.
    let contactless: NFCService?
    var contactlessWatch: Watch?
    /// The stored marks of the clock; nil if there are none.
    var keptMarks: ClockMarks?
    /// True if the failure of the controller is on record.
    var controllerHasFailed = false
    /// True if the present controller can advertise all modes.
    var servesAllModes = false
    /// The reported faults, and the last reported value of `EventRecorder.fault`.
    var faults = FaultRegistry()
    var shownDiskFault: DiskFault?
    private let connection: ControllerConnection
    private lazy var timer = reactor.timer { [self] in
        for verdict in audit.advance(to: reactor.now) { decide(verdict, at: moment) }
        device.advance(to: moment)
        flush()
    }
    // Buffers for the device's output, reused in every turn.
    private var packet: [UInt8] = []
    var effects: [ReaderEffect] = []
    /// Effects to carry out after the packets were sent.
    var deferredEffects: [ReaderEffect] = []
    private(set) var isEnding = false
    /// Outputs whose last setting failed.
    var failing: Set<DoorOutput> = []
    /// The operator's view of the reader.
    var operation: Operation
    var metrics = ReaderMetrics()
    let startedAt: Instant
    /// The lines that phones and processes can cause at will.
    lazy var paced = PacedLog(log, reactor, limit: 60)

    /// True if the contents of an earlier run are known, or known to be lost.
    var isRestored = false
    /// True once requests are served, with these contents or without.
    var isServing = false

    /// The time for loading the contents; a longer one is a fault.
    var restorationWait = Duration.seconds(3)
    /// The time for links and advertising to end with the process.
    private static let closeTimeout = Duration.milliseconds(500)

    init(
        _ reactor: Reactor, connection: ControllerConnection, device: consuming ReaderDevice<SystemRandomSource>,
        lines: consuming ReaderLines, inputs: InputLines, audit: EventRecorder, contactless: NFCService?,
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

    /// Runs until a signal requests the end.
    func run() throws(SystemError) {
        try reactor.onSignal(ReaderProcess.signals) { [self] signal in
            if signal == SIGHUP { reload() } else { end(signal) }
        }
        connection.owner = self
        // A service may look more often.
        reactor.longestWait = min(reactor.longestWait ?? Lateness.look, Lateness.look)
        let answers = try reactor.watch(audit.descriptor, .readable) { [self] _ in
            takeResults()
            flush()
        }
        audit.start()
        device.reader.holdRequests()
        reactor.schedule(at: reactor.now + restorationWait) { [self] in loadTimedOut() }
        device.reader.startDoor(at: moment.instant)
        flush()
        try inputs.start(reactor) { [self] input, readings in take(readings, of: input) }
        try startContactless()
        startOperation()
        connection.open()
        reactor.releaseFilePages()
        try reactor.run()
        inputs.stop()
        answers.cancel()
        endOperation()
        operation.trace?.flush()
        if !audit.close(at: reactor.now) {
            log.error("events: no response from the disk: the last events may be lost")
        }
        endContactless()
    }

    /// The handled signals; to be blocked before anything else starts.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    var moment: Moment { wall.moment }

    func end(_ signal: CInt) {
        guard !isEnding else { return reactor.stop() }
        isEnding = true
        operation.service?.stopping()
        // Before the waiting time below, in which a pending start would be due.
        operation.updater?.close()
        log.notice("stopping on signal \(signal): closing links, securing the door")
        device.shutDown(at: moment)
        flush()
        guard !device.isQuiet else { return reactor.stop() }
        reactor.schedule(at: reactor.now + ReaderProcess.closeTimeout) { [reactor] in reactor.stop() }
    }

    func flush() {
        report(wall.observe())
        let moment = moment
        // The lock has priority; waking the disk's thread takes time.
        performEffects(at: moment)
        audit.catchUp(at: moment) { device.reader.blacklist.rows }
        decide(audit.submit(at: moment.instant), at: moment)
        performEffects(at: moment)
        // Sealing the phones' answers takes time as well.
        device.answerOpenings(at: moment)
        performEffects(at: moment)
        flushContactless()
        flushGateway()
        flushPanel()
        flushMatterRadio()
        tellMissing(at: moment)
        while device.popPacket(into: &packet) { connection.send(packet.span) }
        connection.flush()
        performDeferred()
        flushMatter()
        flushLink()
        operation.trace?.pause()
        updateFaults()
        decide(audit.submit(at: reactor.now), at: moment)
        connection.updateInterest()
        setTimer()
        if isEnding, device.isQuiet { reactor.stop() }
    }

    private func setTimer() {
        timer.set(
            Instant.earlier(
                Instant.earlier(device.nextDeadline, faults.nextDeadline),
                Instant.earlier(audit.nextDeadline, wall.nextDeadline)))
    }
}
