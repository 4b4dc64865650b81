public import AccessProtocol
public import Crypto
public import Peripheral
public import Timekeeping

/// The access reader: who may connect, who is near, what they ask, and what the door does about it.
///
/// A value without I/O, which joins values of one idea each: the pool of links, the phone that touches it, the openings,
/// the commands, the policy and the door. The host's events and the time go in; the host is driven through its port, and
/// everything else that is to be done is in `effects`.
public struct AccessReader: ~Copyable {
    /// What the reader was told last; what of it the links and openings go by is theirs.
    public internal(set) var configuration: AccessConfiguration {
        didSet {
            (links.maximum, links.times) = (configuration.maximumLinks, configuration.linkTimes)
            openings.reArmTime = configuration.reArm
        }
    }
    let identity: ReaderIdentity
    let table: AccessTable
    /// The phones that are connected.
    var links: LinkPool
    /// The phone that touches the reader.
    var contactless = ContactlessSide()
    /// Who is to be let in, and was a moment ago.
    var openings: Openings
    /// Commands that wait for the event store.
    var commands = PendingCommands()
    /// Who is refused, as far as that is known.
    var policy: ReaderPolicy
    var door: DoorControl
    var isShuttingDown = false
    /// The result of the command being executed; kept for its memory.
    var result: [UInt8] = []
    /// What is to be done, in order, since it was last taken.
    public internal(set) var effects: [ReaderEffect] = []

    /// Events that a phone may take along, oldest first.
    public internal(set) var eventsToCarry: [Event] = []
    /// How much is in the logs, as far as is known.
    public var logCounters = LogCounters()
    /// What is known of the platform's updater; its shell says when it is there, and when it has ended.
    public var updater = UpdaterState.absent
    /// The configuration that was pushed last.
    var pushed: PushedConfiguration?

    /// A reader that has not been told anything yet.
    public init(
        configuration: AccessConfiguration, identity: ReaderIdentity, table: AccessTable, door: DoorConfiguration
    ) {
        self.configuration = configuration
        self.identity = identity
        self.table = table
        self.door = DoorControl(door, configuration)
        links = LinkPool(configuration)
        openings = Openings(reArmTime: configuration.reArm)
        policy = ReaderPolicy(capacity: configuration.blacklistCapacity)
    }

    /// Replaces `taken` by the effects so far, in order. The reader goes on with the memory that `taken` had, so that a
    /// shell that calls this with the same array allocates nothing.
    public mutating func takeEffects(into taken: inout [ReaderEffect]) {
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &effects)
    }

    mutating func tell(_ notice: ReaderNotice) { effects.append(.notice(notice)) }

    /// Brings the door into its secured state and sets all of its outputs.
    public mutating func startDoor(at now: Instant) {
        door.start(at: now, into: &effects)
        tell(.doorStarted)
    }

    /// Ends all links and takes the current from the door, for the end of the process; nobody is served any more.
    public mutating func shutDown<Port: PeripheralPort & ~Copyable>(port: inout Port, at now: Instant) {
        isShuttingDown = true
        links.close(port: &port, at: now, into: &effects)
        contactless.link.close()
        endTap()
        door.shutDown(at: now, into: &effects)
    }

    /// Takes an event of the host.
    public mutating func receive<Port: PeripheralPort & ~Copyable>(
        _ event: HostEvent, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        defer { door.settle(at: moment, configuration, into: &effects) }
        switch event {
        case .ready(let controller): controllerReady(controller, port: &port, at: moment.instant)
        case .controllerFailed(let fault): controllerFailed(fault)
        case .connected(let link, let description): connected(link, description, port: &port, at: moment.instant)
        case .disconnected(let link, let reason):
            links.remove(link, reason, port: &port, at: moment.instant, into: &effects)
        case .intervalChanged(let id, let interval): links.link(id)?.life.connectionIntervalChanged(to: interval)
        case .rssi(let id, let reading): measured(id, reading, port: &port, random: &random, at: moment)
        case .written(let id, let handle, let value):
            let octets = port.eventOctets
            guard value.upperBound <= octets.count else { return }
            written(id, handle, octets.span.extracting(value), port: &port, random: &random, at: moment)
        case .writable(let id):
            guard let link = links.link(id) else { return }
            sendAnswer(link, port: &port, at: moment.instant)
        case .mtuExchanged, .subscribed, .readRequested, .writeRequested, .confirmed: break
        // A reader's devices do not pair: phones prove themselves in the session.
        case .displayPasskey, .requestPasskey, .compare, .securityChanged, .paired, .pairingFailed: break
        case .channelOpened, .channelReceived, .channelWritable, .channelReconfigured, .channelClosed: break
        }
    }

    /// Does what is due at `moment`.
    public mutating func advance<Port: PeripheralPort & ~Copyable>(to moment: Moment, port: inout Port) {
        let now = moment.instant
        links.advance(to: now, port: &port, into: &effects)
        advanceContactless(to: now)
        expireCommands(port: &port, at: moment)
        // Whoever has waited for the disk until now may be the one who makes room.
        links.makeRoom(port: &port, at: now, into: &effects)
        door.advance(to: moment, configuration, into: &effects)
    }

    /// When `advance` is to be called next.
    public var nextDeadline: Instant? {
        // Asked for after every frame, so without a list.
        var earliest = Instant.earlier(door.nextDeadline, links.nextDeadline)
        earliest = Instant.earlier(earliest, commands.nextDeadline)
        return Instant.earlier(earliest, contactlessDeadline)
    }

    /// The host has found that these modes cannot be advertised.
    mutating func unserved(_ modes: [AdvertisingMode]) {
        if !modes.isEmpty { tell(.unserved(modes)) }
    }

    /// How many links hold a slot: all but those on their way out.
    public var servedLinks: Int { links.served }

    /// Whether any link is up, those on their way out included.
    public var hasLinks: Bool { links.hasLinks }

    func link(_ id: PhoneID) -> AccessLink? {
        switch id {
        case .link(let id): links.link(id)
        case .tap: contactless.session.flatMap { $0.id == id ? $0 : nil }
        }
    }

    private mutating func controllerReady<Port: PeripheralPort & ~Copyable>(
        _ controller: ControllerDescription, port: inout Port, at now: Instant
    ) {
        tell(.controllerReady(controller))
        links.readsRSSI = controller.readsRSSI
        if !controller.readsRSSI, configuration.modes.contains(where: { $0.gate != nil }) { tell(.rssiUnavailable) }
        links.forgetAdvertising()
        links.updateAdvertising(port: &port, at: now, into: &effects)
    }

    private mutating func controllerFailed(_ fault: ControllerFault) {
        // The host has told the end of each link before; the door goes on.
        tell(.controllerFailed(fault))
        links.forgetAdvertising()
    }
}
