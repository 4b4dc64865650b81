import Octets
public import Timekeeping

/// A BLE peripheral host: what is between a controller and a device, as a value.
///
/// Packets, commands of the device and the time go in; packets for the controller (`outbound`), events for the device
/// (`nextEvent`) and the time of the next call (`nextDeadline`) come out. After each input, whoever drives the host
/// takes all of these.
///
/// A controller that fails is reset and started again, with growing pauses, until it works; the links it had have
/// ended then. Nothing that a controller sends can stop the host: what is malformed, unknown or out of turn is
/// ignored and counted.
///
/// A class or actor that holds a host should take the events in a function that has it as `inout`. Swift 6.3.1 with
/// -O loses the end of an access in `while let event = host.nextEvent() { … host.readRSSI(…) … }` on a class's property,
/// and the next access then stops the process ("Simultaneous accesses").
public struct Host: ~Copyable, PeripheralPort {
    /// Packets for the controller, each with its type octet. To be taken after every input.
    public var outbound = PacketQueue()

    /// Packets of the controller that were malformed, reserved, or of a link that does not exist, and frames that
    /// L2CAP did not take.
    public internal(set) var ignoredPackets = 0

    let configuration: HostConfiguration
    /// One server for each device, in the order of the devices.
    var servers: [GATTServer]
    /// Which device an advertising set leads to; the first one for those that are not here.
    private let deviceOfSet: [UInt8: Int]
    var security: HostSecurity
    /// What each device demands of pairings; nil for one that does not pair.
    let policies: [SecurityPolicy?]
    var phase = Phase.idle
    var commandFlow = HCICommandFlow()
    var flow = ACLFlowControl()
    var connections: [Connection]
    var advertiser: Advertiser
    var rejected: [RejectedConnection] = []
    var terminatedSets: [TerminatedSet] = []
    var unclaimed = EarlyACLData()
    var unresponsive = UnresponsiveCommands()
    var lastGeneration: UInt32 = 0
    var restart = Restart()
    var dataTurn = 0
    var rssiTurn = 0
    var response: [UInt8] = []
    var gattEvents = GATTEvents()
    var bearerPDU: [UInt8] = []
    var channelEvents: [ChannelEvent] = []
    private var events: [HostEvent] = []
    private var eventHead = 0
    var lastInput = Instant.origin
    /// Something was changed without a time; `advance` acts on it.
    var isDue = false

    /// Where the host is with its controller.
    enum Phase {
        /// There is no transport.
        case idle
        /// The controller is being started.
        case bringUp(BringUp)
        /// It works.
        case running(BringUp)
        /// It has failed, and is reset at this time.
        case waiting(until: Instant)
    }

    /// A host of one device with these attributes; nothing happens before `start`.
    public init(database: AttributeDatabase, configuration: HostConfiguration) {
        self.init(devices: [ServedDevice(database: database)], configuration: configuration)
    }

    /// A host of these devices, at least one, on one radio; nothing happens before `start`. If two devices name the
    /// same advertising set, it leads to the first of them.
    ///
    /// Without `security`, or without a policy of its own, a device does not pair: it refuses each Pairing Request.
    ///
    /// - Precondition: `devices` is not empty.
    public init(devices: [ServedDevice], configuration: HostConfiguration, security: SecuritySetup? = nil) {
        precondition(!devices.isEmpty, "a host needs a device")
        self.configuration = configuration
        let slots = min(max(configuration.links, 1), HostLimits.links)
        servers = devices.map { device in
            var server = device.server
            server.maximumMTU = min(server.maximumMTU, configuration.maximumMTU, HostLimits.maximumPayload)
            return GATTServer(database: device.database, configuration: server)
        }
        var deviceOfSet: [UInt8: Int] = [:]
        for (number, device) in devices.enumerated() {
            for set in device.advertisingSets where deviceOfSet[set] == nil { deviceOfSet[set] = number }
        }
        self.deviceOfSet = deviceOfSet
        policies = devices.map(\.security)
        self.security = HostSecurity(security)
        advertiser = Advertiser(rotation: configuration.addressRotation)
        let mtu = min(configuration.maximumMTU, HostLimits.maximumPayload)
        let bearers = Host.bearerService(of: devices, mtu: mtu)
        let services =
            bearers.map { own in configuration.channelServices.filter { $0.spsm != own.spsm } + [own] }
            ?? configuration.channelServices
        let payload = services.reduce(HostLimits.maximumPayload) { max($0, $1.mps) }
        connections = (0..<slots).map { _ in Connection(maximumPayload: payload, services: services) }
    }

    /// Sets what is advertised, before `start` or at any time later: `nextDeadline` is due then, and the next input
    /// sends the commands. `unservedAdvertisingSets` tells which sets the controller, or any controller, cannot take.
    public mutating func configure(advertising sets: [AdvertisingSet]) {
        advertiser.configure(sets)
        isDue = true
    }

    /// Sets what is advertised, and sends the commands.
    public mutating func configure(advertising sets: [AdvertisingSet], at now: Instant) {
        configure(advertising: sets)
        advance(to: now)
    }

    /// The transport is open: the controller is reset and started.
    public mutating func start(at now: Instant) {
        begin(now)
        endLinks(reason: .hardwareFailure)
        restart = Restart()
        bringUp(at: now)
    }

    /// The transport is gone: every link has ended, and nothing happens until `start`.
    public mutating func transportLost(at now: Instant) {
        begin(now)
        endLinks(reason: .hardwareFailure)
        forgetController()
        phase = .idle
        emit(.controllerFailed(.transportLost))
    }

    /// Takes one whole packet of the controller, with its type octet.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        begin(now)
        guard packet.count > 0 else { return ignore() }
        switch H4PacketType(rawValue: packet[0]) {
        case .acl: receiveData(packet, at: now)
        case .event: receiveEvent(packet, at: now)
        default: ignore()
        }
    }

    /// Does what is due at `now`.
    public mutating func advance(to now: Instant) {
        begin(now)
        if let command = commandFlow.overdue(at: now) { unanswered(command, at: now) }
        if case .waiting(let until) = phase, now >= until { bringUp(at: now) }
        advanceConnections(to: now)
        sendCommands(at: now)
        sendData()
    }

    /// When `advance` is to be called; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        var earliest = commandFlow.deadline
        func consider(_ deadline: Instant?) {
            if let deadline { earliest = earliest.map { min($0, deadline) } ?? deadline }
        }
        switch phase {
        case .idle: return nil
        case .waiting(let until): return until
        case .bringUp: return earliest
        case .running: break
        }
        if isDue { consider(lastInput) }
        let canSendCommand = commandFlow.isReady
        for index in connections.indices where connections[index].phase != .free {
            consider(connections[index].deadline(canSendCommand: canSendCommand))
        }
        if canSendCommand {
            consider(advertiser.deadline)
            for connection in rejected where !connection.isSent { consider(connection.after) }
        }
        return earliest
    }

    /// The next event; nil if there is none. To be called until nil after every input.
    public mutating func nextEvent() -> HostEvent? {
        guard eventHead < events.count else { return nil }
        let event = events[eventHead]
        eventHead += 1
        if eventHead == events.count {
            events.removeAll(keepingCapacity: true)
            eventHead = 0
        }
        return event
    }

    /// The octets that events point into; they stay until the next packet or time after all events were taken.
    public var eventOctets: [UInt8] { gattEvents.octets }

    /// The link's ATT_MTU; 23 until exchanged, and for a link that is gone.
    public func attMTU(_ link: LinkID) -> Int {
        announcedSlot(of: link).map { connections[$0].client.mtu() } ?? HostLimits.defaultMTU
    }

    // MARK: - What the other files use

    /// Events that nobody took keep the octets they point into.
    private mutating func begin(_ now: Instant) {
        lastInput = now
        if events.isEmpty { gattEvents.removeAll() }
    }

    mutating func emit(_ event: HostEvent) { events.append(event) }

    mutating func ignore() { ignoredPackets &+= 1 }

    /// The device that a link belongs to.
    func device(ofSet set: UInt8?) -> Int { set.flatMap { deviceOfSet[$0] } ?? 0 }

    /// The commands and sizes of the controller that works; nil while none does.
    var controller: BringUp? {
        if case .running(let controller) = phase { return controller }
        return nil
    }

    /// Whether there is one, asked with every packet: nothing of it is copied.
    var isRunning: Bool {
        if case .running = phase { return true }
        return false
    }
}

/// Limits of a host that are not configured, each with its reason.
enum HostLimits {
    /// More links than that no controller in use holds for a peripheral.
    static let links = 64
    /// The longest ATT_MTU that makes sense: a 512-octet value with the head of a prepared write (Core 5.4, Vol 3,
    /// Part F, 3.2.9 and 3.4.6.1). A longer L2CAP frame is dropped.
    static let maximumPayload = 517
    /// ATT_MTU before it is exchanged (Vol 3, Part G, 5.2.1).
    static let defaultMTU = 23
    /// A client waits for each answer before it asks again (Vol 3, Part F, 3.3.2); a few more are for the other
    /// channels. One that has this many answers unread and asks again floods, and is disconnected.
    static let waitingResponses = 8
    /// Answers of all channels that may wait when one of the Security Manager is added: it hands out up to four keys at
    /// once (Vol 3, Part H, 3.6.1), beside what the other channels may have waiting.
    static let waitingSecurityFrames = 16
    /// Connections without a place that are being ended; a controller with more is out of its mind, and is reset.
    static let rejected = 64
    /// Memory of Advertising Set Terminated events whose connection has not been told yet.
    static let terminatedSets = 8
    /// For how long an event, or data, that came before its Connection Complete belongs to it. Handles are used
    /// again: what is older may be of the connection before.
    static let earlyWait = Duration.milliseconds(20)
    /// Data waits in the host's own queues when this much is not yet taken from `outbound`.
    static let outboundOctets = 65_536
    /// How long a command may take without which the host can do: controllers answer within milliseconds, and one that
    /// does not know a command may never do so. Nothing else can be commanded meanwhile, not the end of a link and not
    /// advertising; each such command goes unanswered only once, or a few times, before it is not sent any more.
    static let optionalCommandTimeout = Duration.milliseconds(500)
    /// Before a Disconnect command that was refused is sent again.
    static let disconnectRetry = Duration.seconds(1)
    /// What a controller may need beyond the supervision time-out to say that a link has ended.
    static let endMargin = Duration.seconds(1)
    /// Read RSSI commands without an answer, in a row, after which no more are sent.
    static let silentRSSI = 3
}

/// A connection that has no place in the link table and is being ended.
struct RejectedConnection: Equatable {
    /// Refusals after which it is left to its supervision time-out.
    static let maximumRefusals = 5

    var handle: UInt16
    var reason: HCIStatus
    var after: Instant
    var isSent = false
    var refusals = 0
}

/// An Advertising Set Terminated event whose connection is not known yet.
struct TerminatedSet: Equatable {
    var handle: UInt16
    var set: UInt8
    var since: Instant
    /// The sets' addresses at that time.
    var onAir: OnAirAddresses
}

/// Optional commands that this controller lists and does not answer; they are not sent again.
struct UnresponsiveCommands: Equatable {
    var dataLength = false
    var interval = false
    var rssi = 0
}

/// The pauses between attempts to start a controller: none before the first, then 250 ms, doubled, at most 8 s.
struct Restart: Equatable {
    /// A controller that has worked for this long has not failed to start.
    static let stable = Duration.seconds(10)

    var isFirst = true
    var backOff = BackOff()
    var readySince: Instant?

    /// The pause before the next attempt, after a failure at `now`.
    mutating func pause(at now: Instant) -> Duration {
        if let readySince, now - readySince >= Restart.stable { self = Restart() }
        readySince = nil
        defer { isFirst = false }
        return isFirst ? .zero : backOff.next()
    }
}
