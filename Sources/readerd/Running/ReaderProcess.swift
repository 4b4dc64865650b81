// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import Glibc
import Logging
import System
import Reader
import Timekeeping

/// The running reader: a reactor, the device with its descriptors and lines, and the services around it.
///
/// Everything is on the reactor's thread. After every input the device is settled in the phases of `TurnPhase`.
final class ReaderProcess {
    let reactor: Reactor
    let log: Logger
    let wall: WallClock
    var device: ReaderDevice<SystemRandomSource>
    var lines: ReaderLines
    let audit: EventRecorder
    private let connection: ControllerConnection
    /// In the order in which they act in each phase.
    private(set) var services: [any ReaderService] = []
    var setup: ReaderSetup
    var stage: ReaderStage
    var faults = FaultRegistry()
    var reported = ReportedStates()
    var metrics = ReaderMetrics()
    var buffers = TurnBuffers()
    private lazy var timer = reactor.timer { [self] in
        device.reader.ledger.advance(to: reactor.now, auditTime)
        decideOpenings(at: moment)
        device.advance(to: moment)
        flush()
    }

    /// The time for links and advertising to end with the process.
    private static let closeTimeout = Duration.milliseconds(500)

    init(
        _ reactor: Reactor, connection: ControllerConnection, device: consuming ReaderDevice<SystemRandomSource>,
        lines: consuming ReaderLines, audit: EventRecorder, wall: WallClock, setup: ReaderSetup, log: Logger
    ) {
        stage = ReaderStage(startedAt: reactor.now)
        self.setup = setup
        self.audit = audit
        self.reactor = reactor
        self.connection = connection
        self.device = device
        self.lines = lines
        self.wall = wall
        self.log = log
    }

    /// Adds a service after those before it; before `run`.
    func add(_ service: any ReaderService) { services.append(service) }

    /// Runs until a signal requests the end.
    func run() throws(SystemError) {
        try reactor.onSignal(ReaderProcess.signals) { [self] signal in
            if signal == SIGHUP { reload() } else { end(signal) }
        }
        connection.owner = self
        // A service may look more often.
        reactor.longestWait = min(reactor.longestWait ?? Lateness.look, Lateness.look)
        let answers = try reactor.watch(audit.descriptor, .readable) { [self] _ in
            receiveAnswers()
            flush()
        }
        record(AuditEvent(.start, at: auditTime, detail: "readerd \(FirmwareVersion.text)"))
        audit.lookUp()
        device.reader.holdRequests()
        reactor.schedule(at: reactor.now + setup.restorationWait) { [self] in loadTimedOut() }
        device.reader.forgetDays(of: setup.settings.remoteSettings)
        device.reader.startDoor(at: moment.instant)
        flush()
        for service in services { try service.start() }
        if let fault = setup.identityFault { raise(.identityDamaged, fault) }
        for service in services { service.started() }
        connection.open()
        reactor.releaseFilePages()
        try reactor.run()
        answers.cancel()
        for service in services { service.close() }
        if !audit.close(&device.reader.ledger, at: reactor.now) {
            log.error("events: no response from the disk: the last events may be lost")
        }
        for service in services { service.release() }
    }

    /// The handled signals; to be blocked before anything else starts.
    static let signals = [SIGTERM, SIGINT, SIGHUP]

    var moment: Moment { wall.moment }

    func end(_ signal: CInt) {
        guard !stage.isEnding else { return reactor.stop() }
        stage.isEnding = true
        // Before the waiting time below, in which a pending start would be due.
        for service in services { service.stop() }
        log.notice("stopping on signal \(signal): closing links, securing the door")
        device.shutDown(at: moment)
        flush()
        guard !device.isQuiet else { return reactor.stop() }
        reactor.schedule(at: reactor.now + ReaderProcess.closeTimeout) { [reactor] in reactor.stop() }
    }

    /// Performs a turn.
    func flush() {
        var moment = moment
        for phase in TurnPhase.order { perform(phase, at: &moment) }
    }

    private func perform(_ phase: TurnPhase, at moment: inout Moment) {
        switch phase {
        case .clock:
            report(wall.observe())
            moment = self.moment
        case .effects: performEffects(at: moment)
        case .records:
            audit.catchUp(at: moment) { device.reader.blacklist.rows }
            audit.submit(&device.reader.ledger, at: moment.instant)
            performEffects(at: moment)
        case .answers:
            device.answerOpenings(at: moment)
            performEffects(at: moment)
        case .services: for service in services { service.settle() }
        case .packets:
            device.sendPackets { connection.send($0) }
            connection.flush()
        case .notices: performDeferred()
        case .reports: for service in services { service.report() }
        case .faults: updateFaults()
        case .end:
            audit.submit(&device.reader.ledger, at: reactor.now)
            decideOpenings(at: moment)
            connection.updateInterest()
            setTimer()
            if stage.isEnding, device.isQuiet { reactor.stop() }
        }
    }

    private func setTimer() {
        let records = Instant.earlier(device.reader.ledger.nextDeadline, audit.nextDeadline)
        timer.set(
            Instant.earlier(
                Instant.earlier(device.nextDeadline, faults.nextDeadline),
                Instant.earlier(records, wall.nextDeadline)))
    }

    /// Reloads the configuration.
    func reload() { service(ReaderConfiguration.self)?.reload() }
}

/// Buffers for the device's output, reused in every turn.
struct TurnBuffers {
    var effects: [ReaderEffect] = []
    /// Effects to perform after the packets were sent.
    var deferred: [ReaderEffect] = []
}
