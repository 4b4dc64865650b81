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
    private let reactor: Reactor
    private let log: Logger
    private let wall: WallClock
    private var device: ReaderDevice<SystemRandomSource>
    private var lines: ReaderLines
    private var connection: ControllerConnection
    private var timer: Timer?
    private var packet: [UInt8] = []
    private var isEnding = false
    private var exitCode: Int32 = 0
    /// Outputs whose last setting failed.
    private var failing: Set<DoorOutput> = []

    /// How long links and advertising may take to end when the process is asked to.
    private static let farewell = Duration.milliseconds(500)

    init(
        _ reactor: Reactor, connection: ControllerConnection, device: consuming ReaderDevice<SystemRandomSource>,
        lines: consuming ReaderLines, wall: WallClock, log: Logger
    ) {
        self.reactor = reactor
        self.connection = connection
        self.device = device
        self.lines = lines
        self.wall = wall
        self.log = log
    }

    /// Runs until a signal asks for the end, or the controller can't be reached at all; the exit status.
    func run() throws(SystemError) -> Int32 {
        try reactor.onSignal(ReaderProcess.signals) { [self] signal in end(signal) }
        connection.owner = self
        device.startDoor(at: moment)
        settle()
        connection.open()
        try reactor.run()
        return exitCode
    }

    /// The signals that end the process; to be blocked before anything else.
    static let signals = [SIGTERM, SIGINT]

    private var moment: Moment {
        Moment(instant: reactor.now, epochSeconds: wall.epochSeconds)
    }

    private func end(_ signal: CInt) {
        guard !isEnding else { return reactor.stop() }
        isEnding = true
        log.notice("ending on signal \(signal): closing links, settling the door")
        device.shutDown(at: moment)
        settle()
        guard !device.isQuiet else { return reactor.stop() }
        reactor.schedule(at: reactor.now + ReaderProcess.farewell) { [reactor] in reactor.stop() }
    }

    private func settle() {
        // The lock before all else: somebody stands at the door.
        for action in device.takeDoorActions() { move(action) }
        while device.popPacket(into: &packet) { connection.send(packet.span) }
        connection.flush()
        while let notice = device.nextNotice() { log.log(level: notice.level, "\(notice)") }
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
            log.debug("line: \(output.rawValue) \(action.level ? "on" : "off")")
            if failing.remove(output) != nil { log.notice("line: \(output.rawValue) can be set again") }
        } catch {
            device.doorOutputFailed(output, at: now)
            guard failing.insert(output).inserted else { return }
            log.error("line: \(output.rawValue) could not be set, and is tried again: \(error)")
        }
    }

    private func setTimer() {
        guard let deadline = device.nextDeadline else {
            timer?.cancel()
            return
        }
        if let timer {
            if !timer.isPending || timer.deadline != deadline { timer.reschedule(at: deadline) }
        } else {
            timer = reactor.schedule(at: deadline) { [self] in
                device.advance(to: moment)
                settle()
            }
        }
    }
}

extension ReaderProcess: ControllerConnectionOwner {
    func controllerReached() {
        device.start(at: moment)
        settle()
    }

    func controllerSent(_ packet: Span<UInt8>) {
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
