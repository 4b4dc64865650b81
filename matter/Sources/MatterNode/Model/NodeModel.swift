// SPDX-License-Identifier: Apache-2.0

import Crypto
import MatterCredentials
import MatterInteraction
import MatterTLV
import Octets
import Timekeeping
import WiFiStation

/// The data model of the node: all clusters and the state behind them. Its requests to the node are in `requests`.
struct NodeModel: Sendable {
    let configuration: MatterConfiguration
    let endpoints: [EndpointDeclaration]
    var faults = MatterFaults()

    /// The state to store; what an armed fail-safe covers is contained, and is not stored.
    var state: NodeState { didSet { isStateChanged = true } }
    /// True if `state` may differ from what was stored.
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
    /// The latest time known to have passed: certificates are judged by it without a clock.
    var lastKnownGoodTime: Int64
    var random: any RandomSource & Sendable
    /// Filled by clusters, drained by the node in order.
    var requests: [ModelRequest] = []

    /// Answers that an injected fault delays.
    var delayed: [DelayedOutcome] = []
    /// The delays that faults demand of outcomes that are not known yet; as many as commands wait for the network.
    var delaysOfLater: [CommandTicket: Duration] = [:]

    private var versions: [ClusterPath: UInt32] = [:]

    init(
        _ configuration: MatterConfiguration, state: NodeState, random: any RandomSource & Sendable, at now: Moment
    ) {
        self.configuration = configuration
        self.state = state
        self.random = random
        start = now.instant
        epochSeconds = now.epochSeconds
        lastKnownGoodTime = max(configuration.buildTime, now.epochSeconds ?? 0)
        endpoints = NodeModel.endpoints(of: configuration)
        lock = LockModel(configuration.device, stored: state.lock)
        load = LoadModel(stored: state.load)
        for endpoint in endpoints {
            for cluster in endpoint.clusters {
                versions[ClusterPath(endpoint: endpoint.number, cluster: cluster.id)] = self.random.number()
            }
        }
    }

    /// The state without what the fail-safe covers.
    var lastingState: NodeState { failSafe?.undone(state) ?? state }

    /// Notes a change of an attribute for subscriptions and data versions.
    mutating func changed(_ endpoint: EndpointNumber, _ cluster: ClusterID, _ attribute: AttributeID) {
        versions[ClusterPath(endpoint: endpoint, cluster: cluster), default: 0] &+= 1
        requests.append(.changed(AttributePath(endpoint, cluster, attribute)))
    }

    /// Records an event with the fields that `body` writes. One that the device does not declare has no effect.
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

    /// Takes the wall clock. The latest time known to have passed only rises.
    mutating func setClock(_ seconds: Int64?) {
        epochSeconds = seconds
        lastKnownGoodTime = max(lastKnownGoodTime, seconds ?? 0)
    }

    /// True unless a Wi-Fi network is stored and not joined.
    var isOnNetwork: Bool {
        guard case .wifi = configuration.network else { return true }
        return state.network == nil || networking.isConnected
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
    /// A PASE session belongs to this fabric from now on.
    case bind(session: UInt16, to: FabricIndex)
    /// The fabrics for CASE and their advertising are others now.
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
    /// A command that waited has this outcome.
    case complete(CommandTicket, CommandOutcome)
}

extension NodeModel: DataModel {
    var accessEntries: [AccessControlEntry] { state.accessEntries }

    func dataVersion(endpoint: EndpointNumber, cluster: ClusterID) -> UInt32 {
        versions[ClusterPath(endpoint: endpoint, cluster: cluster)] ?? 0
    }

    func read(
        _ path: AttributePath, by accessor: Accessor, fabricFiltered: Bool, into writer: inout TLVWriter,
        as tag: TLVTag, at now: Instant
    ) throws(StatusInformation) {
        let scope = FabricScope(fabric: accessor.fabric, isFiltered: fabricFiltered)
        let isKnown =
            switch path.cluster {
            case .descriptor: readDescriptor(path, &writer, tag)
            case .accessControl: readAccessControl(path.attribute, scope, &writer, tag)
            case .basicInformation: readBasicInformation(path.attribute, &writer, tag)
            case .generalCommissioning: readGeneralCommissioning(path.attribute, &writer, tag)
            case .networkCommissioning: readNetworkCommissioning(path.attribute, &writer, tag)
            case .powerSource: readPowerSource(path.attribute, &writer, tag)
            case .generalDiagnostics: readGeneralDiagnostics(path.attribute, &writer, tag, at: now)
            case .administratorCommissioning: readAdministratorCommissioning(path.attribute, &writer, tag)
            case .operationalCredentials: readOperationalCredentials(path.attribute, scope, &writer, tag)
            case .groupKeyManagement: readGroupKeyManagement(path.attribute, scope, &writer, tag)
            case .identify: readIdentify(path.attribute, &writer, tag, at: now)
            case .groups: readGroups(path.attribute, &writer, tag)
            case .onOff: readOnOff(path.attribute, &writer, tag, at: now)
            case .booleanState: readBooleanState(path.attribute, &writer, tag)
            case .doorLock: readDoorLock(path.attribute, &writer, tag)
            default: false
            }
        guard isKnown else { throw StatusInformation(.unsupportedAttribute) }
    }

    mutating func write(
        _ path: AttributePath, _ operation: WriteOperation, by accessor: Accessor, at now: Instant
    ) throws(StatusInformation) {
        switch path.cluster {
        case .accessControl: try writeAccessControl(operation, by: accessor, at: now)
        case .basicInformation: try writeBasicInformation(path.attribute, operation)
        case .generalCommissioning: try writeGeneralCommissioning(path.attribute, operation)
        case .networkCommissioning: try writeNetworkCommissioning(path.attribute, operation)
        case .groupKeyManagement: try writeGroupKeyManagement(path.attribute, operation, by: accessor)
        case .identify: try writeIdentify(path.attribute, operation, at: now)
        case .onOff: try writeOnOff(path.attribute, operation, at: now)
        case .doorLock: try writeDoorLock(path.attribute, operation, at: now)
        default: throw StatusInformation(.unsupportedWrite)
        }
    }

    mutating func invoke(
        _ path: CommandPath, fields: TLVElement?, ticket: CommandTicket, by accessor: Accessor, at now: Instant
    ) -> CommandOutcome {
        if let outcome = injectedOutcome(of: path, ticket) { return outcome }
        let outcome: CommandOutcome
        do throws(StatusInformation) {
            outcome = try perform(
                path, Invocation(fields: CommandFields(fields), accessor: accessor, ticket: ticket, now: now))
        } catch {
            outcome = .status(error)
        }
        notice(.command(path, accessor, outcome, because: refusalReason))
        refusalReason = nil
        return injectedDelay(of: path, outcome, ticket, at: now) ?? outcome
    }

    private mutating func perform(_ path: CommandPath, _ call: Invocation) throws(StatusInformation) -> CommandOutcome {
        switch path.cluster {
        case .generalCommissioning: try invokeGeneralCommissioning(path.command, call)
        case .networkCommissioning: try invokeNetworkCommissioning(path.command, call)
        case .generalDiagnostics: try invokeGeneralDiagnostics(path.command, call)
        case .administratorCommissioning: try invokeAdministratorCommissioning(path.command, call)
        case .operationalCredentials: try invokeOperationalCredentials(path.command, call)
        case .groupKeyManagement: try invokeGroupKeyManagement(path.command, call)
        case .identify: try invokeIdentify(path.command, call)
        case .groups: try invokeGroups(path.command, call)
        case .onOff: try invokeOnOff(path.command, call)
        case .doorLock: try invokeDoorLock(path.command, call)
        default: throw StatusInformation(.unsupportedCommand)
        }
    }
}

/// A command with all that its execution depends on.
struct Invocation {
    let fields: CommandFields
    let accessor: Accessor
    let ticket: CommandTicket
    let now: Instant

    /// The fabric of a command that is scoped to one.
    var fabric: FabricIndex {
        get throws(StatusInformation) {
            guard let fabric = accessor.fabric else { throw StatusInformation(.unsupportedAccess) }
            return fabric
        }
    }

    var isOverPASE: Bool { accessor.authentication == .pase }

    /// The requesting node; nil over PASE, where it has no name.
    var author: MatterAuthor? {
        guard let fabric = accessor.fabric, let node = accessor.node else { return nil }
        return MatterAuthor(fabric: fabric, node: node)
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
