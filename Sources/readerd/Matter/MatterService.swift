// SPDX-License-Identifier: Apache-2.0

import CLinux
import Crypto
import Glibc
import JSON
import LockChannel
import Logging
import Peripheral
import Reader
import System
import Timekeeping

/// The channel to the process of the Matter lock: a socket, and one client that is a permitted user's.
final class MatterService {
    /// A change on the channel.
    enum Event {
        /// The process is there; true if it was before.
        case connected(isBack: Bool)
        /// A message of the process.
        case request(LockRequest)
        /// The process is gone.
        case lost
    }

    /// Everybody may connect; the user is checked then.
    private static let mode: UInt32 = 0o666
    /// The maximum number of octets that wait for the process.
    private static let waitingLimit = 64 * 1024
    /// The pause after a connection could not be accepted.
    private static let pause = Duration.seconds(1)

    let settings: ReaderSettings.Matter
    private let listener: ControlListener
    private let users: Set<UInt32>
    private let log: Logger
    private var reactor: Reactor?
    private var watch: Watch?
    private var client: LineSocket?
    private var handle: (Event) -> Void = { _ in }
    private var wasConnected = false
    /// The state of the node; nil while the process is not there.
    private(set) var node: LockNodeState?
    /// The channel of the last recorded opening: the origin of the next release of the lock.
    var opening: AuditChannel?
    /// True while an order of the process secures the lock.
    var isLocking = false
    /// The states of the door that the process knows; nil while it is not there.
    var told: LockDoor?

    /// The commissioning service; nil for a reader that provisions no Wi-Fi.
    let relay: MatterRelay?
    /// The end of the window in which the process may change the network.
    var windowEnd: Instant?
    /// True if the station is in a network that the process has joined, and neither kept nor left.
    var hasJoined = false

    /// The configured channel; nil for none.
    ///
    /// - Parameter hasWiFi: true for a reader with a provisioning gateway, which is the host's device before this one.
    init?(_ settings: ReaderSettings.Matter, hasWiFi: Bool, log: Logger) throws(ReaderdError) {
        guard let path = settings.socket else { return nil }
        self.settings = settings
        do throws(DatabaseError) {
            relay = try hasWiFi ? MatterRelay(device: 2, address: MatterService.freshAddress()) : nil
        } catch {
            throw .failed("matter: \(error)")
        }
        self.log = log
        users = [try MatterService.number(of: settings.user), getuid()]
        listener = try ControlListener(path: path, mode: MatterService.mode, key: "matter.socket")
    }

    /// A random static address, another one for each start.
    private static func freshAddress() -> BluetoothAddress {
        var random = SystemRandomSource()
        return BluetoothAddress.randomStatic(from: random.octets(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// True while the process may change the network.
    func isWindowOpen(at now: Instant) -> Bool { windowEnd.map { now < $0 } ?? false }

    /// The number of a user by name or number.
    private static func number(of user: String) throws(ReaderdError) -> UInt32 {
        if let number = UInt32(user) { return number }
        guard let entry = getpwnam(user) else {
            throw .failed("matter.user: there is no user \(user); install readerd-matter, or name its user")
        }
        return entry.pointee.pw_uid
    }

    /// Listens, and calls `handle` with each change from then on.
    func start(_ reactor: Reactor, _ handle: @escaping (Event) -> Void) throws(SystemError) {
        self.reactor = reactor
        self.handle = handle
        watch = try reactor.watch(listener.descriptor, .readable) { [weak self] _ in self?.accept() }
    }

    /// Ends the connection, and removes the socket with the service.
    func close() {
        handle = { _ in }
        watch?.cancel()
        client = nil
    }

    /// True while the process is there.
    var isConnected: Bool { client != nil }

    /// Sends a message; false while the process is not there.
    @discardableResult
    func send(_ report: LockReport) -> Bool {
        guard let client else { return false }
        client.send(report.line)
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
                log.warning("matter: \(peer.actor) (process \(peer.process)) refused; matter.user is \(settings.user)")
                readerd_close(descriptor)
                continue
            }
            take(
                LineSocket(
                    descriptor, lineLimit: LockChannelLimits.lineCount, waitingLimit: MatterService.waitingLimit))
        }
    }

    /// The newest process replaces the one before, which may hang.
    private func take(_ newcomer: LineSocket) {
        guard let reactor else { return }
        do throws(SystemError) {
            try newcomer.watch(on: reactor) { [weak self] in self?.serve() }
        } catch {
            return log.warning("matter: \(error)")
        }
        (client, node, told) = (newcomer, nil, nil)
        handle(.connected(isBack: wasConnected))
        wasConnected = true
    }

    /// Pauses accepting: without descriptors the socket stays readable.
    private func pauseAccepting() {
        guard let reactor else { return }
        try? watch?.modify([])
        reactor.schedule(at: reactor.now + MatterService.pause) { [weak self] in try? self?.watch?.modify(.readable) }
    }

    private func serve() {
        guard let client else { return }
        client.receive()
        client.flush()
        while self.client === client, let line = client.nextLine() {
            do throws(JSONPlaceFault) {
                let request = try LockRequest(line: line)
                if case .state(let state) = request { node = state }
                handle(.request(request))
            } catch {
                return drop("sent what is no message: \(error)")
            }
        }
        if client.isTooLong { return drop("sent a line of more than \(LockChannelLimits.lineCount) octets") }
        update(client)
    }

    private func update(_ client: LineSocket) {
        guard self.client === client else { return }
        client.updateInterest()
        if client.isLost || client.inputHasEnded { drop(client.isOverfull ? "does not read" : "has ended") }
    }

    private func drop(_ reason: String) {
        log.warning("matter: readerd-matter \(reason)")
        (client, node, told) = (nil, nil, nil)
        handle(.lost)
    }
}
