// SPDX-License-Identifier: Apache-2.0

public import WiFi
public import Timekeeping

/// The Wi-Fi station of a device, real or simulated, that provisioning uses.
///
/// It is a value: calls and time go in; events come out. After each call, and at `deadline`, drain `nextEvent`. It
/// joins one network at a time; the caller keeps the list of networks, and decides which one to return to after a
/// failure.
public protocol WiFiStation {
    /// The device's hardware address.
    var address: WiFiAddress { get }

    /// The state of the connection; throws if it cannot be queried.
    func status() throws(WiFiRefusal) -> WiFiStatus

    /// Scans for networks. A scan in progress is restarted. Each access point gives an event `found`, and the end
    /// `scanEnded`. Scanning does not end a connection: call `leave` first for that.
    mutating func startScan(_ scan: WiFiScan, at now: Instant) throws(WiFiRefusal)

    /// Ends a scan without further events; no effect without a scan in progress.
    mutating func stopScan(at now: Instant)

    /// Leaves the current network, aborts a join in progress, and joins this network. Events: `joining` with each
    /// step as it occurs, then `joined` or `joinFailed`.
    ///
    /// - Throws: `WiFiRefusal` if the join cannot be started.
    mutating func join(_ join: WiFiJoin, at now: Instant) throws(WiFiRefusal)

    /// Leaves the network or aborts the join, without an event.
    mutating func leave(at now: Instant) throws(WiFiRefusal)

    /// True if the station stores networks itself, joins them automatically, and returns to a stored network after a
    /// failed join: the caller then requests only explicit joins. Automatic joins are reported by `joined` and `lost`.
    /// False by default.
    var remembersNetworks: Bool { get }

    /// The time of the next call of `advance` if nothing else happens; nil for none.
    var deadline: Instant? { get }

    /// Performs the actions due at `now`.
    mutating func advance(to now: Instant)

    /// Removes and returns the next event; nil if no event is pending.
    mutating func nextEvent() -> WiFiEvent?
}

extension WiFiStation {
    /// False: the station stores no networks.
    public var remembersNetworks: Bool { false }
}

/// The parameters of a scan.
public struct WiFiScan: Equatable, Sendable {
    /// The name to probe for, which hidden networks of that name answer with it; nil for none.
    public var name: WiFiName?
    /// The only band to scan; nil for all.
    public var band: WiFiBand?
    /// True to listen without probe requests.
    public var isPassive: Bool
    /// The maximum duration; nil for the station's default.
    public var period: Duration?

    /// A scan; by default of everything.
    public init(
        name: WiFiName? = nil, band: WiFiBand? = nil, isPassive: Bool = false, period: Duration? = nil
    ) {
        self.name = name
        self.band = band
        self.isPassive = isPassive
        self.period = period
    }
}

/// The state of a station's connection.
public struct WiFiStatus: Equatable, Sendable {
    /// The phase of a connection.
    public enum State: Equatable, Sendable {
        /// No network.
        case disconnected
        /// Joining a network.
        case joining(WiFiJoinStep)
        /// Connected, with an address.
        case connected
    }

    /// The phase.
    public var state: State
    /// The access point of the connection or of the join in progress; nil without either.
    public var network: WiFiNetwork?
    /// The IPv4 address; nil if the station has no address.
    public var ipv4: IPv4Address?

    /// A state with these properties.
    public init(state: State, network: WiFiNetwork? = nil, ipv4: IPv4Address? = nil) {
        self.state = state
        self.network = network
        self.ipv4 = ipv4
    }

    /// True if the link to an access point is up: keys are set, with or without an address.
    public var isLinkUp: Bool { state == .connected || state == .joining(.obtainingAddress) }
}
