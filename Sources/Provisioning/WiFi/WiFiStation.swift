public import Timekeeping

/// A device's Wi-Fi as one that joins networks: what provisioning works on, be it real or simulated.
///
/// It is a value: calls and time go in, events are taken out. After each call, and when `deadline` has come, take the
/// events until there is none. It joins one network at a time; which ones are known, and which to go back to when one
/// does not let it in, is for the one who calls.
public protocol WiFiStation {
    /// The device's own address.
    var address: WiFiAddress { get }

    /// What it is doing; throws if it cannot be asked.
    func status() throws(WiFiRefusal) -> WiFiStatus

    /// Looks for networks. A scan that runs already begins anew. Each access point is an event `found`, and the end is
    /// `scanEnded`. Scanning does not end a connection: who wants that calls `leave` first.
    mutating func startScan(_ scan: WiFiScan, at now: Instant) throws(WiFiRefusal)

    /// Ends a scan; there is no further event of it. Nothing happens if there is none.
    mutating func stopScan(at now: Instant)

    /// Leaves the network that it is in, gives up a join that is under way, and tries this one. Events: `joining` with
    /// each step as it happens, then `joined` or `joinFailed`. Throws if it cannot even try.
    mutating func join(_ join: WiFiJoin, at now: Instant) throws(WiFiRefusal)

    /// Leaves the network, or gives up the join; there is no event of it.
    mutating func leave(at now: Instant) throws(WiFiRefusal)

    /// Whether it knows networks of its own, joins them by itself, and goes back to one of them when a join has failed: who
    /// calls it then joins only what is asked for. It tells of what it does by `joined` and `lost`. False if nothing is said.
    var remembersNetworks: Bool { get }

    /// When to call `advance` if nothing else happens; nil if it waits for nothing.
    var deadline: Instant? { get }

    /// Time has come to `now`.
    mutating func advance(to now: Instant)

    /// The next event; nil if there is none.
    mutating func nextEvent() -> WiFiEvent?
}

extension WiFiStation {
    /// It knows none.
    public var remembersNetworks: Bool { false }
}

/// Why a station does not do what it was asked.
public enum WiFiRefusal: Error, Equatable, Sendable {
    /// What was asked makes no sense to it (a driver's EINVAL).
    case invalid
    /// Anything else: the driver failed, the supplicant is gone.
    case failed
}

/// How to look for networks.
public struct WiFiScan: Equatable, Sendable {
    /// Only this band; nil for all.
    public var band: WiFiBand?
    /// Whether to listen only, and ask for nothing.
    public var isPassive: Bool
    /// How long to look, at most; nil leaves it to the station.
    public var period: Duration?

    /// A scan; without arguments one that finds everything.
    public init(band: WiFiBand? = nil, isPassive: Bool = false, period: Duration? = nil) {
        self.band = band
        self.isPassive = isPassive
        self.period = period
    }
}

/// Which network to join, and how; and what a device keeps of a network, to join it again.
public struct WiFiJoin: Equatable, Sendable {
    /// Its name.
    public var name: WiFiName
    /// Only this access point; nil for any of that name.
    public var address: WiFiAddress?
    /// Only in this band; nil for any.
    public var band: WiFiBand?
    /// Only on this channel; nil for any.
    public var channel: UInt32?
    /// How it lets stations in.
    public var security: WiFiSecurity
    /// The passphrase, if it wants one.
    public var passphrase: WiFiPassphrase?

    /// A network to join.
    public init(
        name: WiFiName, address: WiFiAddress? = nil, band: WiFiBand? = nil, channel: UInt32? = nil,
        security: WiFiSecurity, passphrase: WiFiPassphrase? = nil
    ) {
        self.name = name
        self.address = address
        self.band = band
        self.channel = channel
        self.security = security
        self.passphrase = passphrase
    }

    /// The same network at any access point, in any band and on any channel: the one that was chosen may have been replaced, or
    /// have gone to another channel.
    public var anywhere: WiFiJoin { WiFiJoin(name: name, security: security, passphrase: passphrase) }
}

/// What a station is doing.
public struct WiFiStatus: Equatable, Sendable {
    /// How far it is.
    public enum State: Equatable, Sendable {
        /// In no network.
        case disconnected
        /// On its way into one.
        case joining(WiFiJoinStep)
        /// In it, with an address.
        case connected
    }

    /// How far it is.
    public var state: State
    /// The access point that it is connected to, or was last seen joining; nil if there is none.
    public var network: WiFiNetwork?
    /// Its IPv4 address; nil if it has none.
    public var ipv4: IPv4Address?

    /// What a station is doing.
    public init(state: State, network: WiFiNetwork? = nil, ipv4: IPv4Address? = nil) {
        self.state = state
        self.network = network
        self.ipv4 = ipv4
    }

    /// Whether the link to an access point is up: its keys are set, with or without an address yet.
    public var isLinkUp: Bool { state == .connected || state == .joining(.obtainingAddress) }
}

/// What a station does one after the other to get into a network.
public enum WiFiJoinStep: Sendable, CaseIterable {
    /// It has begun: looking for the access point, and IEEE 802.11 authentication.
    case authentication
    /// It associates, and agrees on keys.
    case association
    /// The link is up; it wants an IPv4 address.
    case obtainingAddress
}

/// Why a station did not get into a network.
public enum WiFiJoinFailure: Sendable, CaseIterable {
    /// The passphrase is wrong, or the access point does not want it.
    case authentication
    /// There is no such network, or none that is protected as was said.
    case networkNotFound
    /// It took too long.
    case timeout
    /// The link came up, and nobody gave an IPv4 address.
    case address
    /// Anything else.
    case other
}

/// What happened at a station.
public enum WiFiEvent: Equatable, Sendable {
    /// A scan has found this access point; each once in a scan.
    case found(WiFiNetwork)
    /// A scan is over; `complete` is false if it broke off.
    case scanEnded(complete: Bool)
    /// A join has come to this step.
    case joining(WiFiJoinStep)
    /// It is in the network, with this address.
    case joined(WiFiNetwork, IPv4Address)
    /// It did not get in, and is in no network now.
    case joinFailed(WiFiJoinFailure)
    /// It is not in its network any more.
    case lost
}
