import Crypto
import Glibc
import Logging
import System
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
    var lines: ReaderLines
    private let inputs: InputLines
    let audit: EventRecorder
    /// The NFC front end, if there is one.
    let contactless: NFCService?
    var contactlessWatch: Watch?
    /// The clock's marks as they are kept; nil before any are.
    var keptMarks: ClockMarks?
    /// Whether it is on record that there is no controller.
    var controllerHasFailed = false
    /// Whether the controller that is up could advertise all modes.
    var servesAllModes = false
    /// What is wrong, and the part of it that `EventRecorder.fault` was when it was last looked at.
    var faults = FaultBoard()
    var shownDiskFault: DiskFault?
    private let connection: ControllerConnection
    private var timer: Timer?
    // What the device hands out is taken into these, time and again into the same memory.
    private var packet: [UInt8] = []
    var effects: [ReaderEffect] = []
    /// Effects that wait until the packets have left.
    var deferredEffects: [ReaderEffect] = []
    private var isEnding = false
    /// Outputs whose last setting failed.
    var failing: Set<DoorOutput> = []
    /// What an operator sees and changes.
    var operation: Operation
    var metrics = ReaderMetrics()
    let startedAt: Instant

    /// Whether what was kept of an earlier run is known, or is known to be lost.
    var isRestored = false

    /// How long a disk may take to tell what was kept before that is a fault.
    var restorationWait = Duration.seconds(3)
    /// How long links and advertising may take to end when the process is asked to.
    private static let farewell = Duration.milliseconds(500)

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

    /// Runs until a signal asks for the end.
    func run() throws(SystemError) {
        try reactor.onSignal(ReaderProcess.signals) { [self] signal in
            if signal == SIGHUP { reload() } else { end(signal) }
        }
        connection.owner = self
        let answers = try reactor.watch(audit.descriptor, .readable) { [self] _ in
            takeResults()
            settle()
        }
        audit.start()
        device.reader.awaitRestoration()
        reactor.schedule(at: reactor.now + restorationWait) { [self] in giveUpWaiting() }
        device.reader.startDoor(at: moment.instant)
        settle()
        try inputs.start(reactor) { [self] input, readings in take(readings, of: input) }
        try startContactless()
        startOperation()
        connection.open()
        giveBackFilePages()
        try reactor.run()
        inputs.stop()
        answers.cancel()
        endOperation()
        if !audit.close(at: reactor.now) {
            log.error("events: the disk does not answer: the last events may be lost")
        }
        endContactless()
    }

    /// The signals that end the process; to be blocked before anything else.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    var moment: Moment { wall.moment }

    func end(_ signal: CInt) {
        guard !isEnding else { return reactor.stop() }
        isEnding = true
        operation.service?.stopping()
        // Before the farewell, in which its time might come.
        operation.updater?.close()
        log.notice("ending on signal \(signal): closing links, settling the door")
        device.shutDown(at: moment)
        settle()
        guard !device.isQuiet else { return reactor.stop() }
        reactor.schedule(at: reactor.now + ReaderProcess.farewell) { [reactor] in reactor.stop() }
    }

    func settle() {
        tell(wall.observe())
        let moment = moment
        // The lock before all else, since somebody stands at the door; waking the disk's thread takes a while.
        performEffects(at: moment)
        audit.catchUp(at: moment.instant) { device.reader.blacklist.rows }
        decide(audit.handOver(at: moment.instant), at: moment)
        performEffects(at: moment)
        // What phones are told is sealed, which takes a while as well.
        device.answerOpenings(at: moment)
        performEffects(at: moment)
        settleContactless()
        settleGateway()
        while device.popPacket(into: &packet) { connection.send(packet.span) }
        connection.flush()
        performDeferred()
        settleFaults()
        decide(audit.handOver(at: reactor.now), at: moment)
        connection.updateInterest()
        setTimer()
        if isEnding, device.isQuiet { reactor.stop() }
    }

    private func setTimer() {
        guard
            let deadline = Instant.earlier(
                Instant.earlier(device.nextDeadline, faults.nextDeadline),
                Instant.earlier(audit.nextDeadline, wall.nextDeadline))
        else {
            timer?.cancel()
            return
        }
        if let timer {
            if !timer.isPending || timer.deadline != deadline { timer.reschedule(at: deadline) }
        } else {
            timer = reactor.schedule(at: deadline) { [self] in
                for verdict in audit.advance(to: reactor.now) { decide(verdict, at: moment) }
                device.advance(to: moment)
                settle()
            }
        }
    }
}
