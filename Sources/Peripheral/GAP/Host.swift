// SPDX-License-Identifier: Apache-2.0

import Octets
public import Timekeeping

/// A BLE peripheral host between a controller and a device, as a value without I/O.
///
/// Inputs are packets, calls of the device, and the time; outputs are packets for the controller (`outbound`), events
/// for the device (`nextEvent`) and the time of the next call (`nextDeadline`). All outputs must be taken after each
/// input.
///
/// A controller that fails is reset and initialized again, with increasing pauses, until it works; its links have ended
/// then. No input of a controller stops the host: packets that are malformed, unknown or out of order are ignored and
/// counted.
///
/// A class or actor that holds a host should take the events in a function with an `inout` host. Swift 6.3.1 with -O
/// loses the end of an access in `while let event = host.nextEvent() { … host.readRSSI(…) … }` on a property of a
/// class, and the next access traps ("Simultaneous accesses").
public struct Host: ~Copyable {
    /// Packets for the controller, each with its type octet. Must be emptied after every input.
    public var outbound = PacketQueue()

    /// The number of ignored packets of the controller: malformed, reserved, or of an unknown link, and frames that
    /// L2CAP rejected.
    public internal(set) var ignoredPackets = 0

    let configuration: HostConfiguration
    /// The servers of the devices, in their order.
    var servers: [GATTServer]
    /// The device of each advertising set; the first device for sets that are not listed.
    private let deviceOfSet: [UInt8: Int]
    var security: HostSecurity
    /// The pairing policy of each device; nil if it does not pair.
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
    var powerEvents = PowerEvents.masked
    var supervision = Supervision()
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
    /// A change was made without a time; `advance` applies it.
    var isDue = false

    /// The state of the host's controller.
    enum Phase {
        /// There is no transport.
        case idle
        /// The controller is being initialized.
        case bringUp(BringUp)
        /// The controller works.
        case running(BringUp)
        /// The controller failed and is reset at this time.
        case waiting(until: Instant)
    }

    /// A host of one device with these attributes; inactive before `start`.
    public init(database: AttributeDatabase, configuration: HostConfiguration) {
        self.init(devices: [ServedDevice(database: database)], configuration: configuration)
    }

    /// A host of these devices on one radio; inactive before `start`. An advertising set of two devices belongs to the
    /// first of them.
    ///
    /// A device without a policy, or a host without `security`, refuses each Pairing Request.
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

    /// Sets the advertising sets, at any time. The commands are sent at the next input; `nextDeadline` is due at once.
    /// `unservedAdvertisingSets` has the sets that are not advertised.
    public mutating func configure(advertising sets: [AdvertisingSet]) {
        advertiser.configure(sets)
        isDue = true
    }

    /// Sets the advertising sets, and sends the commands.
    public mutating func configure(advertising sets: [AdvertisingSet], at now: Instant) {
        configure(advertising: sets)
        advance(to: now)
    }

    /// Starts the host on an open transport: the controller is reset and initialized.
    public mutating func start(at now: Instant) {
        begin(now)
        endLinks(reason: .hardwareFailure)
        restart = Restart()
        supervision = Supervision()
        advertiser.forgetRefusals()
        bringUp(at: now)
    }

    /// Handles the loss of the transport: all links end, and the host is inactive until `start`.
    public mutating func transportLost(at now: Instant) {
        begin(now)
        endLinks(reason: .hardwareFailure)
        forgetController()
        phase = .idle
        emit(.controllerFailed(.transportLost))
        reportAdvertising()
    }

    /// Handles one complete packet of the controller, with its type octet.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        begin(now)
        guard packet.count > 0 else { return ignore() }
        switch H4PacketType(rawValue: packet[0]) {
        case .acl: receiveData(packet, at: now)
        case .event: receiveEvent(packet, at: now)
        default: ignore()
        }
    }

    /// Performs the actions that are due at `now`.
    public mutating func advance(to now: Instant) {
        begin(now)
        if let command = commandFlow.overdue(at: now) { unanswered(command, at: now) }
        if case .waiting(let until) = phase, now >= until { bringUp(at: now) }
        advanceConnections(to: now)
        supervise(to: now)
        sendCommands(at: now)
        sendData()
    }

    /// The time at which `advance` must be called; nil without a deadline.
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
        consider(supervisionDeadline)
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

    /// The next event; nil after the last. Must be called until nil after every input.
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

    /// The octets of the ranges in events, valid until the next input after all events were taken.
    public var eventOctets: [UInt8] { gattEvents.octets }

    /// The link's ATT_MTU; 23 before the exchange, and for an unknown link.
    public func attMTU(_ link: LinkID) -> Int {
        announcedSlot(of: link).map { connections[$0].client.mtu() } ?? HostLimits.defaultMTU
    }

    // MARK: - Internal interface

    /// The octets are retained until all events are taken.
    private mutating func begin(_ now: Instant) {
        lastInput = now
        if events.isEmpty { gattEvents.removeAll() }
    }

    mutating func emit(_ event: HostEvent) { events.append(event) }

    mutating func ignore() { ignoredPackets &+= 1 }

    /// The device of an advertising set.
    func device(ofSet set: UInt8?) -> Int { set.flatMap { deviceOfSet[$0] } ?? 0 }

    /// The commands and buffer sizes of the running controller, otherwise nil.
    var controller: BringUp? {
        if case .running(let controller) = phase { return controller }
        return nil
    }

    /// True if the controller works; evaluated per packet, without a copy of `controller`.
    var isRunning: Bool {
        if case .running = phase { return true }
        return false
    }
}

/// Fixed limits of a host.
enum HostLimits {
    /// The maximum number of links; no controller in use supports more for a peripheral.
    static let links = 64
    /// The maximum ATT_MTU: a value of 512 octets with the header of a prepared write (Core 5.4, Vol 3, Part F, 3.2.9
    /// and 3.4.6.1). A longer L2CAP frame is dropped.
    static let maximumPayload = 517
    /// The ATT_MTU before the exchange (Vol 3, Part G, 5.2.1).
    static let defaultMTU = 23
    /// The maximum number of waiting responses. A client waits for each response (Vol 3, Part F, 3.3.2); some more are
    /// for the other channels. A client that exceeds it is disconnected.
    static let waitingResponses = 8
    /// The maximum number of waiting responses of all channels when the Security Manager adds a response: it sends up
    /// to four keys at once (Vol 3, Part H, 3.6.1), while other channels have responses waiting.
    static let waitingSecurityFrames = 16
    /// The maximum number of rejected connections that are being ended; a controller that exceeds it is faulty and is
    /// reset.
    static let rejected = 64
    /// The maximum number of Advertising Set Terminated events without their connection.
    static let terminatedSets = 8
    /// The time in which an early event or data is assigned to its connection. Handles are reused: older data may
    /// belong to the connection before.
    static let earlyWait = Duration.milliseconds(20)
    /// The number of octets in `outbound` above which further data waits in the host's queues.
    static let outboundOctets = 65_536
    /// The time after which an optional command is given up: controllers answer within milliseconds, and some never
    /// answer an unknown command. The next command, even Disconnect, waits for its credit up to the time-out of a
    /// command; an optional command is not repeated after one or a few of them.
    static let optionalCommandTimeout = Duration.milliseconds(500)
    /// The delay before a refused Disconnect command is repeated.
    static let disconnectRetry = Duration.seconds(1)
    /// The time for which data waits for Encryption Change after the key was given to the controller: far longer than
    /// the two take on different ways from the controller.
    static let encryptionWait = Duration.milliseconds(500)
    /// The margin after the supervision time-out for the controller to report the end of a link.
    static let endMargin = Duration.seconds(1)
    /// The number of consecutive unanswered Read RSSI commands after which no more are sent.
    static let maximumUnansweredRSSI = 3
}

/// A connection without a slot in the link table that is being ended.
struct RejectedConnection: Equatable {
    /// The number of refusals of Disconnect after which the connection is left to its supervision time-out.
    static let maximumRefusals = 5

    var handle: UInt16
    var reason: HCIStatus
    var after: Instant
    var isSent = false
    var refusals = 0
    /// The host learned of the connection only by its data or events.
    var isUnreported = false
}

/// An Advertising Set Terminated event before its connection.
struct TerminatedSet: Equatable {
    var handle: UInt16
    var set: UInt8
    var since: Instant
    /// The addresses of the sets at that time.
    var onAir: OnAirAddresses
}

/// Optional commands that this controller lists but does not answer; they are not repeated.
struct UnresponsiveCommands: Equatable {
    var dataLength = false
    var interval = false
    var rssi = 0
}

/// The pauses between attempts to initialize a controller: none before the first, then 250 ms, doubled, at most 8 s.
struct Restart: Equatable {
    /// The operating time after which the pauses start again with the shortest.
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
