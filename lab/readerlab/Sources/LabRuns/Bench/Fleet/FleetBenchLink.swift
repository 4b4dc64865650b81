// SPDX-License-Identifier: Apache-2.0

import Fleet
import MQTT
import Octets
import SeededNumbers
import System
import Timekeeping

/// The link of one reader of a bench: the code of readerd-link, with a reader that has as many events as required.
final class FleetBenchLink {
    /// A change that the bench counts.
    enum Change {
        /// An attempt to connect begins.
        case attempt
        /// The broker has accepted the connection.
        case connected
        /// The link is subscribed, and its state is published.
        case there
        /// The link is lost.
        case gone
    }

    private static let state =
        #"{"lock":"LOCKED","state":"locked","open":false,"tampered":false,"sequence":1,"clock":"system","faults":[]}"#

    /// True while the broker serves the link.
    private(set) var isThere = false
    /// The times of the recorded events that have not arrived at the back end, by number.
    private var recorded: [(number: UInt64, at: Instant)] = []
    private let device: String
    private let log: LogID
    private let plan: FleetPlan
    private let reactor: Reactor
    private let tell: (Change) -> Void
    private var newest: UInt64 = 0
    private let link: FleetLink
    private let ownIdentity: TLSIdentity?

    /// The link of the reader of this number.
    init(
        _ number: Int, _ plan: FleetPlan, _ reactor: Reactor, _ tell: @escaping (Change) -> Void
    ) throws(ProgramFailure) {
        let octets = UInt64(number).littleEndianOctets
        guard let log = LogID(octets + octets) else { throw .failed("a log's identifier has another length") }
        device = FleetBenchLink.device(number)
        (self.plan, self.reactor, self.tell, self.log) = (plan, reactor, tell, log)
        ownIdentity = try TLSIdentity(plan.broker)
        let session = FleetSession(
            spread: .seconds(plan.spread), tellsHomeAssistant: false,
            random: SeededGenerator(seed: plan.seed, stream: device))
        link = FleetLink(plan.broker, session, reactor)
    }

    /// The identifier in topics of the reader of this number.
    static func device(_ number: Int) -> String {
        Hexadecimal.text(UInt64(number).littleEndianOctets.reversed())
    }

    /// The number of the reader with this identifier.
    static func number(of device: String) -> Int? { Int(device, radix: 16) }

    /// Connects, as when the reader starts.
    func start() {
        link.owner = self
        let reader = LinkReader(firmware: "0.0.0", device: device, name: device, log: log, newest: newest)
        link.session.receive(.reader(reader), at: reactor.now)
        link.session.receive(.state(FleetBenchLink.state), at: reactor.now)
        link.settle()
    }

    /// Ends the connection.
    func end() { link.close() }

    /// Records another event of the reader.
    func record() {
        newest += 1
        recorded.append((newest, reactor.now))
        link.session.receive(.newest(newest), at: reactor.now)
        link.settle()
    }

    /// Records that the events up to this number are at the back end, and returns the times that they took.
    func arrive(upTo number: UInt64) -> [Duration] {
        let now = reactor.now
        let arrived = recorded.prefix { $0.number <= number }
        recorded.removeFirst(arrived.count)
        return arrived.map { now - $0.at }
    }

    private func report(_ isConnected: Bool) {
        guard isConnected != isThere else { return }
        isThere = isConnected
        tell(isThere ? .there : .gone)
    }

    /// A batch of events of some 230 octets each, the usual size of a reader's events.
    private func batch(from first: UInt64) -> LinkReport {
        let last = min(newest, first + UInt64(FleetLimits.eventsPerBatch) - 1)
        let events = (first...max(first, last)).map { number in
            "{\"sequence\":\(number),\"kind\":\"granted\",\"time\":\"2026-01-01T00:00:00+00:00\",\"clock\":\"system\","
                + "\"uptime-ms\":123456789,\"channel\":\"ble\",\"command\":\"tokn\",\"credential\":\"C000000001\","
                + "\"group\":\"staff\",\"rssi\":-51,\"info\":0,\"chain\":\"0123456789abcdef\"}"
        }
        let batch = EventBatch(
            device: device, log: log, first: first, last: max(first, last), gap: nil,
            chain: String(repeating: "0", count: 64), events: events)
        // The bench's back end verifies no signature.
        let text = EventBatch.text(batch.body, signature: [UInt8](repeating: 0x30, count: 71))
        return .batch(text, covers: first...max(first, last), hasGap: false)
    }
}

extension FleetBenchLink: FleetLinkOwner {
    func identity() throws(ProgramFailure) -> TLSIdentity? {
        tell(.attempt)
        return ownIdentity
    }

    func connect() { tell(.connected) }

    func fail(_ failure: LinkFailure) {}

    func send(_ request: LinkRequest) {
        switch request {
        case .read(let first, _): link.session.receive(batch(from: first), at: reactor.now)
        case .status(let status): report(status.isConnected)
        case .order, .chunk: break
        }
    }
}

extension UInt64 {
    fileprivate var littleEndianOctets: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (8 * UInt64($0))) } }
}

/// `next()` is the only requirement.
extension SeededGenerator: @retroactive RandomNumberGenerator {}
