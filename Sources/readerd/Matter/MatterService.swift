// SPDX-License-Identifier: Apache-2.0

import Crypto
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

    let settings: ReaderSettings.Matter
    private let socket: CompanionSocket
    private var handle: (Event) -> Void = { _ in }
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
        socket = try CompanionSocket(
            .init(
                process: "readerd-matter", section: "matter", path: path, user: settings.user,
                lineLimit: LockChannelLimits.lineCount), log: log)
    }

    /// A random static address, another one for each start.
    private static func freshAddress() -> BluetoothAddress {
        var random = SystemRandomSource()
        return BluetoothAddress.randomStatic(from: random.octets(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// True while the process may change the network.
    func isWindowOpen(at now: Instant) -> Bool { windowEnd.map { now < $0 } ?? false }

    /// Listens, and calls `handle` with each change from then on.
    func start(_ reactor: Reactor, _ handle: @escaping (Event) -> Void) throws(SystemError) {
        self.handle = handle
        try socket.start(reactor) { [weak self] in self?.take($0) }
    }

    /// Ends the connection, and removes the socket with the service.
    func close() {
        handle = { _ in }
        socket.close()
    }

    /// True while the process is there.
    var isConnected: Bool { socket.isConnected }

    /// Sends a message; false while the process is not there.
    @discardableResult
    func send(_ report: LockReport) -> Bool { socket.send(report.line) }

    private func take(_ event: CompanionSocket.Event) {
        switch event {
        case .connected(let isBack):
            (node, told) = (nil, nil)
            handle(.connected(isBack: isBack))
        case .lost:
            (node, told) = (nil, nil)
            handle(.lost)
        case .line(let line):
            do throws(JSONPlaceFault) {
                let request = try LockRequest(line: line)
                if case .state(let state) = request { node = state }
                handle(.request(request))
            } catch {
                socket.drop("sent what is no message: \(error)")
            }
        }
    }
}
