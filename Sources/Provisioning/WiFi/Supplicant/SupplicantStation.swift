public import Timekeeping

/// A station that wpa_supplicant plays: its control interface as a value.
///
/// Whoever has the socket does what `nextAction` says, hands in what `receive` is for, and calls `advance` at `deadline`.
/// A command is text that this side makes: names go in as hexadecimal digits, and a passphrase that the supplicant would
/// refuse is never sent, since it would print it.
///
/// The supplicant knows networks of its own. A join disables them, which is how the supplicant tries one alone; they are enabled
/// again when it is over, and the supplicant goes back to one of them by itself if the join has failed. A network that was joined
/// takes the place of others of the same name; `keep` has it written to the supplicant's file. One that is not kept lasts until
/// another is joined, or the supplicant ends.
public struct SupplicantStation: WiFiStation, Sendable {
    /// What the link is when no join is under way.
    enum Standing: Equatable, Sendable {
        /// There is none.
        case down
        /// It is up, and has no address yet.
        case up
        /// It has an address.
        case connected(WiFiNetwork, IPv4Address)
    }

    /// A network that the supplicant may join by itself.
    public struct KnownNetwork: Equatable, Sendable {
        /// Its name.
        public var name: WiFiName
        /// How it lets stations in, as far as the supplicant was told; nil until it has told that.
        public var security: WiFiSecurity?
        /// Whether the supplicant is in it.
        public var isCurrent: Bool
        /// The supplicant's number for it.
        let number: Int
    }

    /// How long a join may take until the link is up: three attempts of SAE, each after a scan of all bands.
    public static let linkWait = Duration.seconds(40)
    /// How long an IPv4 address may take then: a DHCP client that sends five times.
    public static let addressWait = Duration.seconds(20)
    /// How often the supplicant is asked for the address meanwhile.
    static let addressInterval = Duration.milliseconds(500)
    /// How often it is asked how the link is.
    static let statusInterval = Duration.seconds(5)
    /// How many scans may end without the network before there is none: one may miss it on a crowded channel.
    static let scansWithout = 2
    /// How long the address that was there before is not taken for the new network's: until then a DHCP client has
    /// dropped it, or has it again.
    static let staleAddressWait = Duration.seconds(3)
    /// The task of what is asked for no scan and no join.
    static let standingTask: UInt32 = 0

    /// The interface's address: what `init` was given, until the supplicant tells it.
    public internal(set) var address: WiFiAddress
    /// The networks that the supplicant may join by itself; nil until it has told.
    public internal(set) var knownNetworks: [KnownNetwork]?
    /// Whether the networks are in the supplicant's file as they are now; nil while nobody has asked for that.
    public internal(set) var isSaved: Bool?

    var conversation = SupplicantConversation()
    /// Whether the supplicant has told how it is.
    var isAttached = false
    var capabilities = SupplicantCapabilities()
    var scan: Scan?
    var attempt: Attempt?
    var standing = Standing.down
    var rssi: Int8 = -127
    /// The address that the interface had when it was last asked.
    var lastIPv4: IPv4Address?
    /// Networks that a join has disabled.
    var resting: Set<Int> = []
    /// The network that was joined and that nobody wanted kept yet.
    var unkept: Int?
    /// What to forget, once the list of networks is there.
    var forgetting: [WiFiName?] = []
    var nextPoll: Instant?
    private var lastTask: UInt32 = SupplicantStation.standingTask
    var events: [WiFiEvent] = []

    /// A station that asks for its socket when `advance` is called first. `address` is the interface's own, if it is known.
    public init(address: WiFiAddress = WiFiAddress(0, 0, 0, 0, 0, 0)) { self.address = address }

    // MARK: - The socket

    /// What is to be done with the socket next; nil if nothing.
    public mutating func nextAction() -> SupplicantAction? { conversation.nextAction() }

    /// The socket is open.
    public mutating func opened(at now: Instant) {
        conversation.opened()
        conversation.ask(.attach, for: SupplicantStation.standingTask, at: now)
    }

    /// The socket could not be opened, or a datagram not be sent: the supplicant is gone.
    public mutating func failed(at now: Instant) {
        conversation.close(at: now)
        isAttached = false
        isSaved = nil
        nextPoll = nil
        forgetting.removeAll()
        knownNetworks = nil
        unkept = nil
        // Another supplicant may have other networks behind the same numbers.
        resting.removeAll()
        if scan != nil { endScan(isComplete: false) }
        if attempt != nil {
            attempt = nil
            events.append(.joinFailed(.other))
        }
        linkLost()
    }

    /// Takes a datagram of the supplicant.
    public mutating func receive(_ datagram: Span<UInt8>, at now: Instant) {
        if let event = SupplicantEvent(datagram) {
            take(event, at: now)
        } else if let request = conversation.answered(at: now) {
            take(datagram, to: request, at: now)
        }
        conversation.sendNext(at: now)
    }

    // MARK: - Time and events

    /// When to call `advance` if nothing else happens.
    public var deadline: Instant? {
        var earliest = Instant.earlier(conversation.deadline, nextPoll)
        earliest = Instant.earlier(earliest, scan?.deadline)
        return Instant.earlier(earliest, attempt?.deadline)
    }

    /// Time has come to `now`.
    public mutating func advance(to now: Instant) {
        guard conversation.advance(to: now) else { return failed(at: now) }
        if let due = scan?.deadline, due <= now { scanIsDue(at: now) }
        if let due = attempt?.deadline, due <= now { attemptIsDue(at: now) }
        if let due = nextPoll, due <= now { poll(at: now) }
        conversation.sendNext(at: now)
    }

    /// The next event; nil if there is none.
    public mutating func nextEvent() -> WiFiEvent? { events.isEmpty ? nil : events.removeFirst() }

    /// What it is doing; throws while the supplicant is gone.
    public func status() throws(WiFiRefusal) -> WiFiStatus {
        guard isAttached else { throw .failed }
        if let attempt { return WiFiStatus(state: .joining(attempt.step), network: attempt.network) }
        return switch standing {
        case .down: WiFiStatus(state: .disconnected)
        case .up: WiFiStatus(state: .joining(.obtainingAddress))
        case .connected(let network, let ipv4):
            WiFiStatus(state: .connected, network: network, ipv4: ipv4)
        }
    }

    // MARK: - Networks

    /// The supplicant joins what it knows by itself.
    public var remembersNetworks: Bool { true }

    /// Leaves the network, or gives up the join; the supplicant joins nothing by itself until it is told to.
    public mutating func leave(at now: Instant) throws(WiFiRefusal) {
        guard isAttached else { throw .failed }
        abandonAttempt(at: now)
        standing = .down
        ask(.disconnect, at: now)
        // It may join them when it is told to join anything; until then it joins nothing.
        enableOthers(at: now)
    }

    /// Has the supplicant write its networks to its file, so that it knows them when it starts again; `isSaved` tells what came
    /// of it. It needs `update_config=1` there.
    public mutating func keep(at now: Instant) {
        unkept = nil
        ask(.save, at: now)
    }

    /// Has the supplicant forget the networks of this name, or all that it knows, in its file too.
    public mutating func forget(_ name: WiFiName?, at now: Instant) {
        guard isAttached else { return }
        forgetting.append(name)
        ask(.networks, at: now)
    }

    // MARK: - Asking

    mutating func ask(_ command: SupplicantCommand, at now: Instant) {
        conversation.ask(command, for: SupplicantStation.standingTask, at: now)
    }

    mutating func newTask() -> UInt32 {
        lastTask &+= 1
        if lastTask == SupplicantStation.standingTask { lastTask &+= 1 }
        return lastTask
    }

    /// Asks how the link is; the next time is sooner while an address is waited for.
    mutating func poll(at now: Instant) {
        let waits = attempt?.isAddressing ?? (standing == .up)
        nextPoll = now + (waits ? SupplicantStation.addressInterval : SupplicantStation.statusInterval)
        // A supplicant that is slow has enough to do.
        guard conversation.isIdle else { return }
        ask(.signal, at: now)
        ask(.status, at: now)
    }
}
