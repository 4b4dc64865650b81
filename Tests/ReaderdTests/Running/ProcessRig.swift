// SPDX-License-Identifier: Apache-2.0

import Configuration
import TestSupport
import Crypto
import Glibc
import Journal
import Logging
import Peripheral
import System
import Reader
import Synchronization
import Testing
import Timekeeping

@testable import readerd

/// A whole reader process in this one: a controller's socket at which nobody answers, simulated lines, a real event
/// log and a real control socket.
final class ProcessRig {
    /// Deviations from a sound environment.
    struct Trouble {
        /// The opening of the controller's transport.
        var opening: ControllerConnection.Opening?
        /// The system's clock.
        var system: () -> WallClock.SystemTime = WallClock.SystemTime.now
        /// The lead of the monotonic clock over the reactor's.
        var skew = Skew()
        /// Prepares the state directory before the reader starts.
        var prepare: (StateDirectory) throws -> Void = { _ in }
        /// The greatest number of pages of the event log's database; 0 for no limit.
        var pageLimit: Int64 = 0
        /// True to tell what the board lacks (`--tell-missing`).
        var tellsMissing = false
        /// The keys that may sign orders.
        var commandKeys: [CommandKey] = []
    }

    /// A duration that a test changes, on the loop.
    final class Skew {
        var value = Duration.zero
    }

    let skew: Skew
    let directory: TemporaryDirectory
    let reactor: Reactor
    let process: ReaderProcess
    let lines: LoggedLines
    let threshold = LogThreshold(.info)
    private let controller: UnixListener

    var controlPath: String { directory.path + "/control" }
    var configurationPath: String { directory.path + "/readerd.toml" }

    init(configuration: String = "", service: ServiceManager? = nil, trouble: Trouble = Trouble()) throws {
        let skew = trouble.skew
        self.skew = skew
        directory = try TemporaryDirectory()
        try directory.write("readerd.toml", configuration)
        let decoded = try SettingsFile.load(directory.path + "/readerd.toml")
        try #require(!decoded.hasFaults)
        var settings = decoded.settings
        lines = LoggedLines()
        let log = lines.logger(threshold)
        let state = try StateDirectory(directory.path + "/state")
        try StoredPolicy.markFirstStart(in: state)
        try trouble.prepare(state)
        let (addresses, _) = try AddressBook.load(from: state)
        var usable = try UsableIdentity.load(from: state)
        let present = usable.identity
        let identity = try ReaderIdentity(
            deviceID: present.deviceID, terminalKey: present.terminalKey, signatureKey: present.signatureKey,
            retiringSignatureKey: present.retiringSignatureKey, commandKeys: present.commandKeys + trouble.commandKeys)
        usable.identity = identity
        try usable.door?.apply(to: &settings)
        // A disk that is slow because the machine is busy is none that fails, neither for the log nor for an opening.
        var audited = settings
        audited.events.maximumWaitMilliseconds = TestTimeout.milliseconds
        let access = try AccessConfiguration(audited, addresses: addresses)
        reactor = try Reactor()
        let reactor = reactor
        controller = try ControlListener.listen(at: directory.path + "/controller")
        let wall = WallClock(
            zone: access.zone, buildTime: Int64(access.version.buildTime),
            monotonic: { reactor.now + skew.value }, system: trouble.system)
        let provisioning = try GatewayService(
            settings.provisioning, address: addresses.provisioning, own: directory.path + "/wifi", reactor)
        let matter = try MatterService(settings.matter, hasWiFi: provisioning != nil, log: log)
        let companions: [(any CompanionDevice)?] = [provisioning?.companion, matter?.relay]
        var device = try ReaderDevice(
            configuration: access, identity: identity, door: settings.doorConfiguration,
            random: SystemRandomSource(), companions: companions.compactMap(\.self),
            at: Moment(instant: reactor.now, epochSeconds: wall.epochSeconds))
        if !usable.servesPhones { device.reader.refusePhones() }
        let name = TransportName.unix(path: directory.path + "/controller")
        let connection =
            trouble.opening.map {
                ControllerConnection(reactor, name: name, takesAdapter: false, log: log, opening: $0)
            } ?? ControllerConnection(reactor, name: name, takesAdapter: false, log: log)
        let audit = try EventRecorder(
            audited, directory: state.path, key: try EventLogKey.loadOrReplace(in: state).key,
            pageLimit: trouble.pageLimit, closeTimeoutSeconds: TestTimeout.seconds, log: log
        ) { wall.auditTime }
        var setup = ReaderSetup(settings: settings, addresses: addresses, deviceID: identity.deviceID)
        (setup.isDemo, setup.controller, setup.keys) = (true, "unix:x", try usable.keys)
        setup.identityFault = usable.fault
        setup.restorationWait = .seconds(TestTimeout.seconds)
        // Nor is a request that waits because the machine is busy a late one.
        let lateness = Duration.seconds(TestTimeout.seconds)
        let link = try LinkService(settings.link, identity, log: log)
        matter?.lateness = lateness
        link?.lateness = lateness
        process = try ReaderProcess(
            reactor, connection: connection, device: device, lines: ReaderLines(settings), audit: audit, wall: wall,
            setup: setup, log: log)
        try ReaderServices(
            inputs: InputLines(settings),
            updater: UpdaterService(settings.updater.command, device: identity.deviceID, reactor: reactor, log: log),
            gateway: provisioning,
            panel: PanelService(settings.osdp, settings.gpio, directory: state.path, serial: 1, reactor),
            wiegand: WiegandService(settings.wiegand, reactor), matter: matter, link: link,
            control: ControlServer(
                reactor, listener: try ControlListener.listen(at: directory.path + "/control"), log: log,
                lateness: lateness),
            showsMissing: trouble.tellsMissing, state: state, readsAliro: settings.readsAliro,
            configuration: (path: directory.path + "/readerd.toml", mayBeMissing: false), door: usable.door,
            logLevel: threshold, manager: service
        ).add(to: process)
    }

    /// Runs the process while `client` talks to it from another thread; then it is ended as by SIGTERM.
    func run(_ client: @escaping @Sendable (_ path: String, _ rig: ProcessRig) throws -> Void) throws {
        nonisolated(unsafe) let rig = self
        let path = controlPath
        startThread {
            do { try client(path, rig) } catch { Issue.record(error) }
            rig.reactor.perform { rig.process.end(SIGTERM) }
        }
        try process.run()
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
        let outcome = Program.outcome(of: ["events", "--state", directory.path + "/state", "--json"])
        #expect(outcome.code == 0 && outcome.complaints == [])
        return outcome.printed
    }
}

/// A reader with a client that is one of its companion processes, and their socket in a directory of its own.
final class CompanionRig: @unchecked Sendable {
    let process: ProcessRig
    let socket: String
    private let directory: TemporaryDirectory

    /// `table` is the companion's in the configuration, `settings` the rest of it, and `others` other tables.
    init(
        _ table: String, _ settings: String, others: String = "", trouble: ProcessRig.Trouble = ProcessRig.Trouble()
    ) throws {
        directory = try TemporaryDirectory()
        socket = directory.path + "/socket"
        process = try ProcessRig(
            configuration: "\(others)\n[\(table)]\nsocket = \"\(socket)\"\nuser = \"\(getuid())\"\n\(settings)",
            trouble: trouble)
    }
}

/// The lines of the log.
final class LoggedLines: Sendable {
    private let text = Mutex("")
    func add(_ line: String) { text.withLock { $0 += line } }
    func logger(_ threshold: LogThreshold = LogThreshold(.info)) -> Logger {
        Logger(label: "test") { _ in StandardErrorLog(threshold: threshold, reader: .journal, write: self.add) }
    }
    var all: String { text.withLock { $0 } }
}
