import Crypto
import Glibc
import Logging
import Peripheral
import Reactor
import Reader
import Synchronization
import Testing
import Timekeeping

@testable import readerd

/// A whole reader process in this one: a controller's socket at which nobody answers, simulated lines, a real event
/// log and a real control socket.
final class ProcessRig {
    let directory: TemporaryDirectory
    let reactor: Reactor
    let process: ReaderProcess
    let lines: LoggedLines
    let threshold = LogThreshold(.info)
    private let controller: ControlListener

    var controlPath: String { directory.path + "/control" }
    var configurationPath: String { directory.path + "/readerd.toml" }

    init(configuration: String = "", service: ServiceManager? = nil) throws {
        directory = try TemporaryDirectory()
        try directory.write("readerd.toml", configuration)
        let decoded = try SettingsFile.load(directory.path + "/readerd.toml")
        try #require(!decoded.hasFaults)
        let settings = decoded.settings
        let lines = LoggedLines()
        self.lines = lines
        let threshold = threshold
        let log = Logger(label: "test") { _ in
            StandardErrorLog(threshold: threshold, reader: .journal) { line in lines.add(line) }
        }
        let state = try StateDirectory(directory.path + "/state")
        let (addresses, _) = try AddressBook.load(from: state)
        let identity = try ReaderIdentity.demo()
        let access = try AccessConfiguration(settings, addresses: addresses)
        reactor = try Reactor()
        let reactor = reactor
        controller = try ControlListener(path: directory.path + "/controller")
        let wall = WallClock(
            zone: access.zone, buildTime: Int64(access.version.buildTime), monotonic: { reactor.now })
        let device = try ReaderDevice(
            configuration: access, identity: identity, door: settings.door.configuration,
            random: SystemRandomSource(), at: Moment(instant: reactor.now, epochSeconds: wall.epochSeconds))
        let connection = ControllerConnection(
            reactor, name: .unix(path: directory.path + "/controller"), takesAdapter: false, log: log)
        let audit = try AuditDesk(settings, directory: state.path, key: try EventLogKey.load(from: state), log: log) {
            wall.auditTime
        }
        var operation = Operation()
        operation.configurationPath = directory.path + "/readerd.toml"
        operation.configurationMayBeMissing = false
        (operation.settings, operation.addresses) = (settings, addresses)
        (operation.deviceID, operation.isDemo, operation.controller) = (identity.deviceID, true, "unix:x")
        operation.logLevel = threshold
        operation.control = try ControlServer(
            reactor, listener: ControlListener(path: directory.path + "/control"), log: log)
        operation.service = service
        process = try ReaderProcess(
            reactor, connection: connection, device: device, lines: ReaderLines(settings),
            inputs: InputLines(settings), audit: audit, contactless: nil, wall: wall,
            operation: operation, log: log)
    }

    /// Runs the process while `client` talks to it from another thread; then it is ended as by SIGTERM.
    func run(_ client: @escaping @Sendable (_ path: String, _ rig: ProcessRig) throws -> Void) throws {
        nonisolated(unsafe) let rig = self
        let path = controlPath
        startThread {
            do { try client(path, rig) } catch { Issue.record(error) }
            rig.reactor.perform { rig.process.end(SIGTERM) }
        }
        #expect(try process.run() == 0)
    }

    /// Has the loop do something, and waits for it; from the client's thread.
    func onLoop(_ body: @escaping () -> Void) {
        nonisolated(unsafe) let body = body
        let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
        sem_init(semaphore, 0, 0)
        nonisolated(unsafe) let shared = semaphore
        reactor.perform {
            body()
            sem_post(shared)
        }
        while sem_wait(semaphore) != 0 {}
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Every record of the event log, after the end: kind, command, actor.
    func events() throws -> [String] {
        var printed: [String] = []
        let console = Console(print: { printed.append($0) }, complain: { Issue.record("\($0)") })
        #expect(Program(console: console).perform(["events", "--state", directory.path + "/state", "--json"]) == 0)
        return printed
    }
}

/// What was logged.
final class LoggedLines: Sendable {
    private let text = Mutex("")
    func add(_ line: String) { text.withLock { $0 += line } }
    var all: String { text.withLock { $0 } }
}
