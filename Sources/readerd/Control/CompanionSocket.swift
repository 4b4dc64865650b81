// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Logging
import System
import Timekeeping

/// A socket for a companion process of the reader, in lines: one client, which is a permitted user's.
final class CompanionSocket {
    /// A change on the socket.
    enum Event {
        /// The process is there; true if it was before.
        case connected(isBack: Bool)
        /// A line of the process.
        case line([UInt8])
        /// The process is gone.
        case lost
    }

    /// The companion, and the settings that name its socket and its user.
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
    }

    /// Everybody may connect; the user is checked then.
    private static let mode: UInt32 = 0o666
    /// The pause after a connection could not be accepted.
    private static let pause = Duration.seconds(1)

    private let companion: Companion
    private let listener: ControlListener
    private let users: Set<UInt32>
    private let log: Logger
    private var reactor: Reactor?
    private var watch: Watch?
    private var client: LineSocket?
    private var handle: (Event) -> Void = { _ in }
    private var wasConnected = false

    /// Listens for the companion; it is served from `start` on.
    init(_ companion: Companion, log: Logger) throws(ReaderdError) {
        self.companion = companion
        self.log = log
        users = [try CompanionSocket.number(of: companion), getuid()]
        listener = try ControlListener(
            path: companion.path, mode: CompanionSocket.mode, key: "\(companion.section).socket")
    }

    /// The number of a user by name or number.
    private static func number(of companion: Companion) throws(ReaderdError) -> UInt32 {
        if let number = UInt32(companion.user) { return number }
        guard let entry = getpwnam(companion.user) else {
            throw .failed(
                "\(companion.section).user: there is no user \(companion.user); install \(companion.process), or name "
                    + "its user")
        }
        return entry.pointee.pw_uid
    }

    /// Calls `handle` with each change from then on.
    func start(_ reactor: Reactor, _ handle: @escaping (Event) -> Void) throws(SystemError) {
        self.reactor = reactor
        self.handle = handle
        watch = try reactor.watch(listener.descriptor, .readable) { [weak self] _ in self?.accept() }
    }

    /// Ends the connection, and removes the socket with its owner.
    func close() {
        handle = { _ in }
        watch?.cancel()
        client = nil
    }

    /// True while the process is there.
    var isConnected: Bool { client != nil }

    /// Sends a line; false while the process is not there.
    @discardableResult
    func send(_ line: String) -> Bool {
        guard let client else { return false }
        client.send(line)
        update(client)
        return self.client != nil
    }

    private func accept() {
        while true {
            let descriptor = listener.accept()
            guard descriptor >= 0 else {
                if descriptor != -EAGAIN { pauseAccepting() }
                return
            }
            var peer = ControlPeer(user: .max, process: 0)
            guard readerd_peer(descriptor, &peer.user, &peer.process) == 0, users.contains(peer.user) else {
                log.warning(
                    """
                    \(companion.section): \(peer.actor) (process \(peer.process)) refused; \(companion.section).user is \
                    \(companion.user)
                    """)
                readerd_close(descriptor)
                continue
            }
            take(LineSocket(descriptor, lineLimit: companion.lineLimit, waitingLimit: companion.waitingLimit))
        }
    }

    /// The newest process replaces the one before, which may hang.
    private func take(_ newcomer: LineSocket) {
        guard let reactor else { return }
        do throws(SystemError) {
            try newcomer.watch(on: reactor) { [weak self] in self?.serve() }
        } catch {
            return log.warning("\(companion.section): \(error)")
        }
        client = newcomer
        handle(.connected(isBack: wasConnected))
        wasConnected = true
    }

    /// Pauses accepting: without descriptors the socket stays readable.
    private func pauseAccepting() {
        guard let reactor else { return }
        try? watch?.modify([])
        reactor.schedule(at: reactor.now + CompanionSocket.pause) { [weak self] in try? self?.watch?.modify(.readable) }
    }

    private func serve() {
        guard let client else { return }
        client.receive()
        client.flush()
        while self.client === client, let line = client.nextLine() { handle(.line(line)) }
        guard self.client === client else { return }
        if client.isTooLong { return drop("sent a line of more than \(companion.lineLimit) octets") }
        update(client)
    }

    private func update(_ client: LineSocket) {
        guard self.client === client else { return }
        client.updateInterest()
        if client.isLost || client.inputHasEnded { drop(client.isOverfull ? "does not read" : "has ended") }
    }

    /// Ends the connection for this reason.
    func drop(_ reason: String) {
        log.warning("\(companion.section): \(companion.process) \(reason)")
        client = nil
        handle(.lost)
    }
}
