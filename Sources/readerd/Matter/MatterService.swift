// SPDX-License-Identifier: Apache-2.0

import Configuration
import Crypto
import JSON
import LockChannel
import Logging
import Peripheral
import Reader
import System
import Timekeeping

/// The channel to the process of the Matter lock: a socket, and one client that is a permitted user's.
final class MatterService: CompanionService<LockRequest> {
    /// The name of the setting for the recorded state of the node.
    static let setting = "matter-node"

    let settings: ReaderSettings.Matter
    /// The state of the node; nil while the process is not connected.
    private(set) var node: LockNodeState?
    /// The state of the node on record; nil before the stored one is loaded.
    var recorded: LockNodeState?
    /// The states of the node that came before the stored one was loaded.
    var unrecorded: [LockNodeState] = []
    /// True while the recorded state waits to be kept.
    var isKeeping = false
    /// The log lines about refused windows: a node can repeat its request without end.
    var refusalLines = TokenBucket(TokenBucket.Pace(size: 1, interval: .seconds(60)), at: .origin)
    /// The channel of the last decided opening: the origin of the next release of the lock.
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
        try super.init(
            Companion(
                process: "readerd-matter", section: "matter", path: path, user: settings.user,
                lineLimit: LockChannelLimits.lineCount), log: log)
    }

    /// A random static address, new at each start.
    private static func freshAddress() -> BluetoothAddress {
        var random = SystemRandomSource()
        return BluetoothAddress.randomStatic(from: random.octets(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    /// True while the process may change the network.
    func isWindowOpen(at now: Instant) -> Bool { windowEnd.map { now < $0 } ?? false }

    /// Sends a message; false while the process is not connected.
    @discardableResult
    func send(_ report: LockReport) -> Bool { send(report.line) }

    override func record(_ event: Event) {
        switch event {
        case .connected, .lost: (node, told) = (nil, nil)
        case .request(.state(let state)): node = state
        case .request: break
        }
    }
}

extension LockRequest: CompanionRequest {}
