// SPDX-License-Identifier: Apache-2.0

public import WiFi
public import Timekeeping

/// A station implemented by wpa_supplicant, with its control interface as a value.
///
/// The owner of the socket performs the requests of `nextAction`, passes datagrams to `receive`, and calls `advance`
/// at `deadline`. Commands are composed here: names are encoded in hexadecimal, and a passphrase that the supplicant
/// would refuse is never sent, since it would be logged.
///
/// The supplicant stores networks itself. A join disables them, so that the supplicant tries a single network. They are
/// enabled again afterwards, and the supplicant automatically returns to a stored network if the join failed. A joined
/// network replaces others with the same name; `keep` saves it to the supplicant's file. An unsaved network lasts until
/// another is joined, or the supplicant ends.
public struct SupplicantStation: WiFiStation, Sendable {
    /// The state of the link while no join is in progress.
    enum Standing: Equatable, Sendable {
        /// No link.
        case down
        /// Up, without an address yet.
        case up
        /// Up, with an address.
        case connected(WiFiNetwork, IPv4Address)
    }

    /// A network that the supplicant may join automatically.
    public struct KnownNetwork: Equatable, Sendable {
        /// Its name.
        public var name: WiFiName
        /// The security as configured in the supplicant; nil until queried.
        public var security: WiFiSecurity?
        /// True if it is the current network.
        public var isCurrent: Bool
        /// The supplicant's identifier.
        let number: Int
    }

    /// The time-out until the link is up: three SAE attempts, each after a scan of all bands.
    public static let linkWait = Duration.seconds(40)
    /// The time-out of the IPv4 address: a DHCP client that sends five times.
    public static let addressWait = Duration.seconds(20)
    /// The query interval while waiting for the address.
    static let addressInterval = Duration.milliseconds(500)
    /// The query interval of the link state.
    static let statusInterval = Duration.seconds(5)
    /// The number of scans without the network after which it is not found: a single one may miss it on a crowded
    /// channel.
    static let scansWithout = 2
    /// The time for which the previous address does not count for the new network: by then a DHCP client has released
    /// it, or obtained it again.
    static let staleAddressWait = Duration.seconds(3)
    /// The task of commands that belong to no scan or join.
    static let standingTask: UInt32 = 0

    /// The interface's hardware address, as passed to `init` until the supplicant reports it.
    public internal(set) var address: WiFiAddress
    /// The networks that the supplicant may join automatically; nil until queried.
    public internal(set) var knownNetworks: [KnownNetwork]?
    /// True if the supplicant's file is up to date; nil until a save was requested.
    public internal(set) var isSaved: Bool?

    var conversation = SupplicantConversation()
    /// True if the supplicant has reported its state.
    var isAttached = false
    var capabilities = SupplicantCapabilities()
    var scan: Scan?
    var attempt: Attempt?
    var standing = Standing.down
    var rssi: Int8 = -127
    /// The address of the interface at the last query.
    var lastIPv4: IPv4Address?
    /// The networks disabled by a join.
    var resting: Set<Int> = []
    /// The network that was joined and not yet saved.
    var unkept: Int?
    /// The names to remove once the list of networks is available.
    var forgetting: [WiFiName?] = []
    var nextPoll: Instant?
    private var lastTask: UInt32 = SupplicantStation.standingTask
    var events: [WiFiEvent] = []

    /// A station that requests its socket at the first `advance`. `address` is the interface's own, if known.
    public init(address: WiFiAddress = WiFiAddress(0, 0, 0, 0, 0, 0)) { self.address = address }

    // MARK: - The socket

    /// Removes and returns the next request for the socket; nil if no request is pending.
    public mutating func nextAction() -> SupplicantAction? { conversation.nextAction() }

    /// Handles the opened socket.
    public mutating func opened(at now: Instant) {
        conversation.opened()
        conversation.ask(.attach, for: SupplicantStation.standingTask, at: now)
    }

    /// Handles a failure to open the socket or to send a datagram: the supplicant is unavailable.
    public mutating func failed(at now: Instant) {
        conversation.close(at: now)
        isAttached = false
        isSaved = nil
        nextPoll = nil
        forgetting.removeAll()
        knownNetworks = nil
        unkept = nil
        // Another supplicant may assign the identifiers differently.
        resting.removeAll()
        if scan != nil { endScan(isComplete: false) }
        if attempt != nil {
            attempt = nil
            events.append(.joinFailed(.other))
        }
        linkLost()
    }

    /// Handles a datagram from the supplicant.
    public mutating func receive(_ datagram: Span<UInt8>, at now: Instant) {
        if let event = SupplicantEvent(datagram) {
            receive(event, at: now)
        } else if let request = conversation.answered(at: now) {
            receive(datagram, to: request, at: now)
        }
        conversation.sendNext(at: now)
    }

    // MARK: - Time and events

    /// The time of the next call of `advance` if nothing else happens.
    public var deadline: Instant? {
        var earliest = Instant.earlier(conversation.deadline, nextPoll)
        earliest = Instant.earlier(earliest, scan?.deadline)
        return Instant.earlier(earliest, attempt?.deadline)
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        guard conversation.advance(to: now) else { return failed(at: now) }
        if let due = scan?.deadline, due <= now { scanIsDue(at: now) }
        if let due = attempt?.deadline, due <= now { attemptIsDue(at: now) }
        if let due = nextPoll, due <= now { poll(at: now) }
        conversation.sendNext(at: now)
    }

    /// Removes and returns the next event; nil if no event is pending.
    public mutating func nextEvent() -> WiFiEvent? { events.isEmpty ? nil : events.removeFirst() }

    /// The state of the connection; throws while the supplicant is unavailable.
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

    /// True: the supplicant joins its networks automatically.
    public var remembersNetworks: Bool { true }

    /// Disconnects, or aborts the join; the supplicant does not join automatically until requested to.
    public mutating func leave(at now: Instant) throws(WiFiRefusal) {
        guard isAttached else { throw .failed }
        abandonAttempt(at: now)
        standing = .down
        ask(.disconnect, at: now)
        // Enabled networks become candidates with the next join only.
        enableOthers(at: now)
    }

    /// Saves the networks in the supplicant's file, for its next start; `isSaved` has the result. The file must
    /// contain `update_config=1`.
    public mutating func keep(at now: Instant) {
        unkept = nil
        ask(.save, at: now)
    }

    /// Removes the networks with this name, or all, from the supplicant and its file.
    public mutating func forget(_ name: WiFiName?, at now: Instant) {
        guard isAttached else { return }
        forgetting.append(name)
        ask(.networks, at: now)
    }

    // MARK: - Queries

    mutating func ask(_ command: SupplicantCommand, at now: Instant) {
        conversation.ask(command, for: SupplicantStation.standingTask, at: now)
    }

    mutating func newTask() -> UInt32 {
        lastTask &+= 1
        if lastTask == SupplicantStation.standingTask { lastTask &+= 1 }
        return lastTask
    }

    /// Queries the link state; at a shorter interval while waiting for an address.
    mutating func poll(at now: Instant) {
        let waits = attempt?.isAddressing ?? (standing == .up)
        nextPoll = now + (waits ? SupplicantStation.addressInterval : SupplicantStation.statusInterval)
        // A slow supplicant is not given more to do.
        guard conversation.isIdle else { return }
        ask(.signal, at: now)
        ask(.status, at: now)
    }
}
