// SPDX-License-Identifier: Apache-2.0

import Glibc
import JSON
import Logging
import Reader
import System
import Timekeeping

/// A message of a companion process: a line of JSON.
protocol CompanionRequest {
    init(line: [UInt8]) throws(JSONPlaceFault)
}

/// The channel to a companion process of the reader, in lines: one client, which is a permitted user's.
class CompanionService<Request: CompanionRequest> {
    /// A change on the channel.
    enum Event {
        /// The process has connected.
        case connected
        /// A message of the process.
        case request(Request)
        /// The process has ended, or was disconnected.
        case lost
    }

    /// All users may connect; the user is checked after that.
    private static var mode: UInt32 { 0o666 }

    let companion: Companion
    private let listener: UnixListener
    private let users: Set<UInt32>
    private let log: Logger
    private var paced: PacedLog?
    private var pacing = CompanionPacing()
    private var reactor: Reactor?
    private var client: LineSocket?
    private var handle: (Event) -> Void = { _ in }
    private var wasConnected = false
    /// The age of a message from which on it moves nothing.
    var lateness = Lateness.limit

    /// Listens for the companion; it is served from `start` on.
    init(_ companion: Companion, log: Logger) throws(ReaderdError) {
        self.companion = companion
        self.log = log
        users = [try companion.userNumber(), getuid()]
        listener = try ControlListener.listen(
            at: companion.path, mode: CompanionService.mode, key: "\(companion.section).socket")
    }

    /// Serves the process, and calls `handle` with each change.
    func start(_ reactor: Reactor, _ handle: @escaping (Event) -> Void) throws(SystemError) {
        self.reactor = reactor
        self.handle = handle
        paced = PacedLog(log, reactor, limit: CompanionPacing.linesPerMinute)
        try listener.start(reactor) { [weak self] error in
            guard let self else { return }
            log.error("\(companion.section): no connections accepted for a while: \(error)")
        } connected: { [weak self] descriptor, peer in
            self?.accept(descriptor, of: peer)
        }
    }

    /// Ends the connection, and removes the socket with the service.
    func close() {
        handle = { _ in }
        listener.stop()
        client = nil
    }

    /// Counts an order of the process; false if it is one too many.
    func takeOrder() -> Bool { reactor.map { pacing.takeOrder(at: $0.now) } ?? false }

    /// True if the present message may have waited for so long that it must not move the lock.
    var isLate: Bool { client.map { $0.lineAge > lateness } ?? true }

    /// Logs a line about the process's orders, within the limits of its lines.
    func logOrder(_ level: Logger.Level, _ text: @autoclosure () -> String) {
        paced?.log(level, about: companion.section, "\(companion.section): \(text())")
    }

    /// Called with each change before `start`'s closure: what the service keeps of the process.
    func record(_ event: Event) {}

    /// Called with the time of each message, also of an invalid one, before it is reported.
    func noteMessage(at now: Instant) {}

    /// True while the process is connected.
    var isConnected: Bool { client != nil }

    /// Sends a line; false while the process is not connected.
    @discardableResult
    func send(_ line: String) -> Bool {
        guard let client else { return false }
        client.send(line)
        update(client)
        return self.client != nil
    }

    /// Serves a connection of a permitted user.
    private func accept(_ descriptor: CInt, of peer: ControlPeer) {
        let newcomer = LineSocket(descriptor, lineLimit: companion.lineLimit, waitingLimit: companion.waitingLimit)
        guard users.contains(peer.user) else {
            // All strangers share their lines: they may be many users.
            paced?.log(
                .warning, about: "\(companion.section): other users",
                """
                \(companion.section): \(peer.actor) (process \(peer.process)) refused; \(companion.section).user is \
                \(companion.user)
                """)
            return
        }
        guard let reactor, pacing.takeConnection(at: reactor.now) else {
            paced?.log(.warning, about: connections, "\(connections) refused: too many connections in a short time")
            return
        }
        accept(newcomer)
    }

    /// The subject of lines about the connection.
    private var connections: String { "\(companion.section): \(companion.process)" }

    /// The newest process replaces the one before, which may hang.
    private func accept(_ newcomer: LineSocket) {
        guard let reactor else { return }
        do throws(SystemError) {
            try newcomer.watch(on: reactor) { [weak self] in self?.serve() }
        } catch {
            return log.warning("\(companion.section): \(error)")
        }
        client = newcomer
        paced?.log(.notice, about: connections, "\(connections) has \(wasConnected ? "reconnected" : "connected")")
        report(.connected)
        wasConnected = true
    }

    private func serve() {
        guard let client else { return }
        client.receive()
        client.flush()
        while self.client === client, client.nextLine({ receive($0) }) != nil {}
        guard self.client === client else { return }
        if client.isTooLong { return drop("sent a line of more than \(companion.lineLimit) octets") }
        update(client)
    }

    private func receive(_ line: [UInt8]) {
        guard let reactor, pacing.takeMessage(at: reactor.now) else {
            return drop("sent more than \(CompanionPacing.messagesPerSecond) messages within a second")
        }
        noteMessage(at: reactor.now)
        do throws(JSONPlaceFault) { report(.request(try Request(line: line))) } catch {
            drop("sent an invalid message: \(error)")
        }
    }

    private func report(_ event: Event) {
        record(event)
        handle(event)
    }

    private func update(_ client: LineSocket) {
        guard self.client === client else { return }
        client.updateInterest()
        if client.isLost || client.inputHasEnded { drop(client.isOverfull ? "does not read" : "has ended") }
    }

    /// Ends the connection for this reason.
    func drop(_ reason: String) {
        guard client != nil else { return }
        paced?.log(.warning, about: connections, "\(connections) \(reason)")
        client = nil
        report(.lost)
    }
}

/// A companion process, and the settings that name its socket and its user.
struct Companion {
    /// The process: `readerd-matter`.
    var process: String
    /// The section of its settings: `matter`.
    var section: String
    /// The path of the socket.
    var path: String
    /// The user by name or number.
    var user: String
    /// The maximum length of a received line in octets.
    var lineLimit: Int
    /// The maximum number of octets that wait for the process.
    var waitingLimit = 64 * 1024

    /// The number of the user.
    fileprivate func userNumber() throws(ReaderdError) -> UInt32 {
        if let number = UInt32(user) { return number }
        guard let entry = getpwnam(user) else {
            throw .failed("\(section).user: there is no user \(user); install \(process), or name its user")
        }
        return entry.pointee.pw_uid
    }
}

extension ReaderService {
    /// Serves a companion and calls `handle` with each change. Its absence is the fault `absent`; `without` says what a
    /// socket that cannot be watched costs.
    func start<Request>(
        _ companion: CompanionService<Request>, absent: FaultCode, without: String,
        _ handle: @escaping (Self, CompanionService<Request>.Event) -> Void
    ) {
        let (section, process) = (companion.companion.section, companion.companion.process)
        let absence = "\(section).socket: \(process) is not connected; start it, and read its log"
        do throws(SystemError) {
            try companion.start(reactor) { [weak self] event in
                guard let self else { return }
                switch event {
                case .connected: clear(absent)
                case .lost: raise(absent, absence)
                case .request: break
                }
                handle(self, event)
                updateFaults()
                flush()
            }
            raise(absent, absence)
        } catch {
            raise(absent, "\(section).socket: \(error); no \(without) until a restart")
        }
        updateFaults()
    }
}
