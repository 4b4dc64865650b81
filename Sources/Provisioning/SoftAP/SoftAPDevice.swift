public import Timekeeping

/// A device that is told over HTTPS, on an access point of its own, which Wi-Fi network to join: Nordic's
/// `softap_wifi_provision` (profile `exact`), or one that helps more (`gateway`).
///
/// It is a value: requests and time go in, actions are taken out, the station is lent to it. After each call take the
/// actions until there is none. What `exact` does not imitate, because it is a crash or a hang of the firmware: a path
/// of more than 32 octets overruns its buffer (here 404), and a client that ends the connection inside a request leaves
/// it in an endless loop (here the connection just ends).
public struct SoftAPDevice: Sendable {
    enum State: Equatable, Sendable {
        /// Not begun.
        case off
        /// It looks for networks, and the access point is not up yet.
        case starting
        /// It can be configured.
        case open
        /// It has a configuration, and the access point ends at this time.
        case stored(WiFiJoin, until: Instant)
        /// The access point is down: it joins, or has, or has failed to.
        case joining
        /// It starts again.
        case restarting(until: Instant)
    }

    /// An answer for later, by a fault.
    struct Held: Sendable {
        var due: Instant
        var connection: SoftAPConnection
        var response: SoftAPResponse
    }

    /// A request that waits for the end of a scan.
    struct Waiting: Sendable {
        var connection: SoftAPConnection
        var request: SoftAPRequest
        var fault: SoftAPFault?
        /// Whether it has asked for the scan; else it came before the first one was over.
        var asksForScan: Bool
    }

    /// What it was told.
    public let settings: SoftAPSettings
    var faults: [SoftAPFault]
    var state = State.off
    /// What the last scan that is over has found; what an unfinished one has found is beside it.
    var networks: [WiFiNetwork] = []
    private var found: [WiFiNetwork] = []
    var isScanning = false
    /// Who waits for the end of the scan.
    var waiting: [Waiting] = []
    /// What the firmware still has of bodies that it refused: it forgets to begin anew.
    var leftOver: [UInt8] = []
    var progress = SoftAPProgress()
    /// When `gateway` ends its access point.
    private var end: Instant?
    var held: [Held] = []
    private var actions: [SoftAPAction] = []

    /// A device that has not begun.
    public init(_ settings: SoftAPSettings = SoftAPSettings()) {
        self.settings = settings
        faults = settings.faults
    }

    var isExact: Bool { settings.profile == .exact }

    /// What the shell has to do next.
    public mutating func nextAction() -> SoftAPAction? { actions.isEmpty ? nil : actions.removeFirst() }

    /// When to call `advance` if nothing happens before.
    public func deadline(over station: some WiFiStation) -> Instant? {
        var own = held.map(\.due).min()
        switch state {
        case .stored(_, let until), .restarting(let until): own = Instant.earlier(own, until)
        case .off, .starting, .open, .joining: break
        }
        return Instant.earlier(Instant.earlier(own, end), station.deadline)
    }

    // MARK: - Beginning and ending

    /// The device is switched on: it looks for networks, and then it can be configured.
    public mutating func begin(at now: Instant, over station: inout some WiFiStation) {
        state = .starting
        networks.removeAll()
        leftOver.removeAll()
        progress = SoftAPProgress()
        // The firmware has its socket from the beginning, beside the scan.
        act(.listen)
        scan(at: now, over: &station)
        advance(to: now, over: &station)
    }

    /// Somebody has pressed the button: what it was told is gone, and it starts again.
    public mutating func press(at now: Instant, over station: inout some WiFiStation) {
        try? station.leave(at: now)
        restart(.button, at: now, over: &station)
        advance(to: now, over: &station)
    }

    /// A connection failed: in its TLS handshake, or because the client reset it. The firmware does not survive that.
    public mutating func failed(
        _ connection: SoftAPConnection, _ why: String, at now: Instant, over station: inout some WiFiStation
    ) {
        ended(connection)
        act(.tell(.connectionFailed(why)))
        switch state {
        case .starting where isExact, .open where isExact: restart(.connection, at: now, over: &station)
        default: break
        }
    }

    /// A connection is over, in whatever way: nothing will be answered on it.
    public mutating func ended(_ connection: SoftAPConnection) {
        held.removeAll { $0.connection == connection }
        waiting.removeAll { $0.connection == connection }
    }

    mutating func restart(_ why: SoftAPRestart, at now: Instant, over station: inout some WiFiStation) {
        act(.tell(.restarting(why)))
        act(.stopListening)
        act(.silence(goodbye: false))
        for one in waiting { act(.close(one.connection)) }
        for one in held { act(.close(one.connection)) }
        waiting.removeAll()
        held.removeAll()
        station.stopScan(at: now)
        isScanning = false
        end = nil
        state = .restarting(until: now + settings.restart)
    }

    // MARK: - Time

    /// Time has come to `now`, here and at the station.
    public mutating func advance(to now: Instant, over station: inout some WiFiStation) {
        station.advance(to: now)
        drain(&station, at: now)
        while let index = held.indices.filter({ held[$0].due <= now }).min(by: { held[$0].due < held[$1].due }) {
            let next = held.remove(at: index)
            act(.answer(next.connection, next.response))
        }
        switch state {
        case .stored(let join, let until) where until <= now:
            endAccessPoint(goodbye: false)
            start(join, at: now, over: &station)
            drain(&station, at: now)
        case .restarting(let until) where until <= now: begin(at: now, over: &station)
        default: break
        }
        if let end, end <= now {
            endAccessPoint(goodbye: true)
            act(.announce(.home))
        }
    }

    private mutating func drain(_ station: inout some WiFiStation, at now: Instant) {
        while let event = station.nextEvent() { take(event, at: now, over: &station) }
    }

    private mutating func take(_ event: WiFiEvent, at now: Instant, over station: inout some WiFiStation) {
        switch event {
        case .found(let network): if isScanning { found.append(network) }
        case .scanEnded: if isScanning { scanEnded(at: now, over: &station) }
        case .joining(let step):
            progress.state = .joining(step)
            act(.tell(.joining(step)))
        case .joined(let network, let address):
            progress.state = .joined(address)
            act(.tell(.joined(progress.name ?? network.name, address)))
            if isExact { act(.announce(.home)) } else { end = now + settings.linger }
        case .joinFailed(let why):
            progress.state = .failed(why)
            act(.tell(.joinFailed(why)))
        case .lost:
            // If the access point is still up, it stays: the app can say another network.
            end = nil
            progress.state = .none
            act(.tell(.lost))
        }
    }

    private mutating func endAccessPoint(goodbye: Bool) {
        end = nil
        state = .joining
        act(.stopListening)
        act(.silence(goodbye: goodbye))
        act(.tell(.accessPointDown))
    }

    // MARK: - Scanning and joining

    mutating func scan(at now: Instant, over station: inout some WiFiStation) {
        found.removeAll()
        isScanning = true
        do throws(WiFiRefusal) {
            try station.startScan(WiFiScan(), at: now)
        } catch {
            act(.tell(.scanFailed))
            guard !isExact else { return restart(.scan, at: now, over: &station) }
            scanEnded(at: now, over: &station)
        }
    }

    private mutating func scanEnded(at now: Instant, over station: inout some WiFiStation) {
        isScanning = false
        networks = found
        act(.tell(.scanned(networks.count)))
        if state == .starting {
            state = .open
            act(.tell(.accessPointUp))
            act(.announce(.accessPoint))
        }
        let asked = waiting
        waiting.removeAll()
        for one in asked {
            guard one.asksForScan else {
                serve(one.request, on: one.connection, at: now, over: &station)
                continue
            }
            finish(one.request, listed(), on: one.connection, with: one.fault, at: now)
        }
    }

    mutating func start(_ join: WiFiJoin, at now: Instant, over station: inout some WiFiStation) {
        end = nil
        do throws(WiFiRefusal) {
            try station.join(join, at: now)
        } catch {
            progress.state = .failed(.other)
            act(.tell(.joinFailed(.other)))
        }
    }

    mutating func act(_ action: SoftAPAction) { actions.append(action) }
}

/// How far a device has come with the network that it was told.
struct SoftAPProgress: Equatable, Sendable {
    enum State: Equatable, Sendable {
        case none
        case joining(WiFiJoinStep)
        case joined(IPv4Address)
        case failed(WiFiJoinFailure)
    }

    var name: WiFiName?
    var state = State.none
}
