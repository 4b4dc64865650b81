// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterTLV
import Octets
import Timekeeping
import WiFi

/// The data model of the node: all clusters and the state behind them. Its requests to the node are in `requests`.
struct NodeModel: Sendable {
    let configuration: MatterConfiguration
    let endpoints: [EndpointDeclaration]
    var interposer: (any NodeInterposer)?

    /// The state. It includes the changes under an armed fail-safe, which are not stored.
    var state: NodeState { didSet { isStateChanged = true } }
    /// True if `state` may differ from the stored state.
    var isStateChanged = false
    var failSafe: FailSafe?
    var window: CommissioningWindow?
    /// The window that waits for the program's decision.
    var windowRequest: PendingWindow?
    private var nextRequest: UInt32 = 1
    /// The rule that the present command broke, for its notice.
    var refusalReason: String?
    var breadcrumb: UInt64 = 0
    var networking = NetworkingState()
    var identification = Identification()
    var lock: LockModel
    var load: LoadModel
    var isContactClosed = false
    var battery = BatteryModel()
    var addresses = NodeAddresses()
    /// The monotonic time of the start.
    let start: Instant
    /// Seconds since 1970 of the last input; nil while the clock is not set.
    var epochSeconds: Int64?
    /// The latest time known to have passed, against which certificates are checked without a clock.
    var lastKnownGoodTime: Int64
    var random: any RandomSource & Sendable
    /// The requests of clusters, which the node drains in order.
    var requests: [ModelRequest] = []

    private var versions: [ClusterPath: UInt32] = [:]

    init(
        _ configuration: MatterConfiguration, endpoints: [EndpointDeclaration], state: NodeState,
        random: any RandomSource & Sendable, at now: Moment
    ) {
        self.configuration = configuration
        self.state = state
        self.random = random
        start = now.instant
        epochSeconds = now.epochSeconds
        lastKnownGoodTime = max(configuration.buildTime, now.epochSeconds ?? 0)
        self.endpoints = endpoints
        lock = LockModel(configuration.device, stored: state.lock)
        load = LoadModel(stored: state.load)
        for endpoint in endpoints {
            for cluster in endpoint.clusters {
                versions[ClusterPath(endpoint: endpoint.number, cluster: cluster.id)] = self.random.number()
            }
        }
    }

    /// The state without the changes under the fail-safe.
    var lastingState: NodeState { failSafe?.undone(state) ?? state }

    /// Records a change of an attribute for subscriptions and data versions.
    mutating func changed(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ attribute: AttributeID) {
        versions[ClusterPath(endpoint: endpoint, cluster: cluster), default: 0] &+= 1
        requests.append(.changed(AttributePath(endpoint, cluster, attribute)))
    }

    /// Records an event with the fields that `body` writes. No effect for an event that the device does not declare.
    mutating func record(
        _ endpoint: EndpointNumber, _ cluster: ClusterID, _ event: EventID, fabric: FabricIndex? = nil,
        at now: Instant, _ body: (inout TLVWriter) -> Void
    ) {
        let path = EventPath(endpoint, cluster, event)
        guard let priority = priority(of: path) else { return }
        let time: EventTime =
            epochSeconds.map { .epoch(milliseconds: UInt64(clamping: $0) * 1000) }
            ?? .system(milliseconds: UInt64(clamping: (now - start).wholeMilliseconds))
        requests.append(
            .record(
                EventRecord(
                    path, priority: priority, fabric: fabric, time: time, data: TLVWriter.structure(body))))
    }

    private func priority(of path: EventPath) -> EventPriority? {
        endpoints.first { $0.number == path.endpoint }?.clusters.first { $0.id == path.cluster }?
            .events.first { $0.id == path.event }?.priority
    }

    mutating func notice(_ notice: MatterNotice) { requests.append(.notice(notice)) }

    /// A number for a request that the program answers.
    mutating func makeRequestNumber() -> UInt32 {
        defer { nextRequest &+= 1 }
        return nextRequest
    }

    /// Sets the wall clock. The latest time known to have passed never decreases.
    mutating func setClock(_ seconds: Int64?) {
        epochSeconds = seconds
        lastKnownGoodTime = max(lastKnownGoodTime, seconds ?? 0)
    }

    /// True unless a Wi-Fi network is stored and not joined.
    var isOnNetwork: Bool {
        guard case .wifi = configuration.network else { return true }
        return state.network == nil || networking.isConnected
    }

    func dataVersion(endpoint: EndpointNumber, cluster: ClusterID) -> UInt32 {
        versions[ClusterPath(endpoint: endpoint, cluster: cluster)] ?? 0
    }

    private struct ClusterPath: Hashable {
        var endpoint: EndpointNumber
        var cluster: ClusterID
    }
}

/// The addresses of the node's interface, for General Diagnostics.
struct NodeAddresses: Equatable, Sendable {
    var ipv4: [[UInt8]] = []
    var ipv6: [[UInt8]] = []
}

/// A request of the data model to the node.
enum ModelRequest: Sendable {
    case changed(AttributePath)
    case record(EventRecord)
    case notice(MatterNotice)
    /// A PASE session now belongs to this fabric.
    case bind(session: UInt16, to: FabricIndex)
    /// The fabrics for CASE and their advertising have changed.
    case fabricsChanged
    /// Sessions, subscriptions and resumption records of the fabric end; this session after its reply.
    case endFabric(FabricIndex, after: UInt16?)
    /// Sessions of the fabric end, since its credentials were replaced; this session after its reply.
    case endSessions(of: FabricIndex, after: UInt16?)
    /// PASE sessions end; this session after its reply.
    case endPASE(after: UInt16?)
    /// All events are forgotten.
    case erase
    case scan(WiFiName?)
    case join(WiFiJoin)
    case leave
    case actuate(MatterActuation)
    case order(LockOrder)
    case openWindow(WindowRequest)
    case aliro(AliroRequest)
    case recordPINs(PINRequest)
    /// A command that waited has this outcome.
    case complete(CommandTicket, CommandOutcome)
}

/// A command with its circumstances.
struct Invocation {
    let fields: CommandFields
    let accessor: Accessor
    let ticket: CommandTicket
    let now: Instant

    /// The fabric of a fabric-scoped command.
    var fabric: FabricIndex {
        get throws(StatusInformation) {
            guard let fabric = accessor.fabric else { throw StatusInformation(.unsupportedAccess) }
            return fabric
        }
    }

    var isOverPASE: Bool { accessor.authentication == .pase }

    /// The requesting node; nil over PASE, which does not identify it.
    var author: MatterAuthor? { MatterAuthor(accessor) }
}

extension MatterAuthor {
    /// The node of an operational session; nil for another accessor.
    init?(_ accessor: Accessor) {
        guard let fabric = accessor.fabric, let node = accessor.node else { return nil }
        self.init(fabric: fabric, node: node)
    }
}

/// The part of a fabric-scoped list that a reader sees.
struct FabricScope {
    let fabric: FabricIndex?
    let isFiltered: Bool

    /// True if an entry of `index` is listed.
    func lists(_ index: FabricIndex) -> Bool { !isFiltered || index == fabric }
    /// True if the fabric-sensitive fields of an entry of `index` are listed.
    func reveals(_ index: FabricIndex) -> Bool { index == fabric }
}
