// SPDX-License-Identifier: Apache-2.0

public import Timekeeping
import WiFi
public import WiFiStation
import NordicProvisioning

/// A device that is provisioned over HTTPS on its own access point: Nordic's `softap_wifi_provision` (profile
/// `exact`), or a more helpful one (`gateway`).
///
/// It is a value: requests and time go in, actions come out, and the station is passed to each call. After each call
/// drain `nextAction`. `exact` does not imitate crashes or hangs of the firmware: a path of more than 32 octets
/// overruns its buffer (here 404), and a client that closes the connection within a request causes an endless loop
/// (here the connection just closes).
public struct SoftAPDevice: Sendable {
    enum State: Equatable, Sendable {
        /// Not started.
        case off
        /// Scanning, before the access point is up.
        case starting
        /// Ready for configuration.
        case open
        /// Configured; the access point ends at this time.
        case stored(WiFiJoin, until: Instant)
        /// The access point is down: the device is joining, has joined or has failed.
        case joining
        /// Restarting.
        case restarting(until: Instant)
    }

    /// A response delayed by a fault.
    struct Held: Sendable {
        var due: Instant
        var connection: SoftAPConnection
        var response: SoftAPResponse
    }

    /// A request waiting for the end of a scan.
    struct Waiting: Sendable {
        var connection: SoftAPConnection
        var request: SoftAPRequest
        var fault: SoftAPFault?
        /// True if it requested the scan; otherwise it arrived before the first scan was complete.
        var asksForScan: Bool
    }

    /// The settings.
    public let settings: SoftAPSettings
    var faults: [SoftAPFault]
    var state = State.off
    /// The networks of the last complete scan; `found` has the networks of the current scan.
    var networks: [WiFiNetwork] = []
    private var found: [WiFiNetwork] = []
    var isScanning = false
    /// The requests waiting for the end of the scan.
    var waiting: [Waiting] = []
    /// Octets of refused bodies that the firmware retains, since it does not reset its buffer.
    var leftOver: [UInt8] = []
    var progress = SoftAPProgress()
    /// The end of `gateway`'s access point.
    private var end: Instant?
    var held: [Held] = []
    private var actions: [SoftAPAction] = []

    /// A device that has not started.
    public init(_ settings: SoftAPSettings = SoftAPSettings()) {
        self.settings = settings
        faults = settings.faults
    }

    var isExact: Bool { settings.profile == .exact }

    /// Removes and returns the next action; nil if no action is pending.
    public mutating func nextAction() -> SoftAPAction? { actions.isEmpty ? nil : actions.removeFirst() }

    /// The time of the next call of `advance` if nothing else happens; nil for none.
    public func deadline(over station: some WiFiStation) -> Instant? {
        var own = held.map(\.due).min()
        switch state {
        case .stored(_, let until), .restarting(let until): own = Instant.earlier(own, until)
        case .off, .starting, .open, .joining: break
        }
        return Instant.earlier(Instant.earlier(own, end), station.deadline)
    }

    // MARK: - Start and end

    /// Switches the device on: it scans, and then accepts a configuration.
    public mutating func begin(at now: Instant, over station: inout some WiFiStation) {
        state = .starting
        networks.removeAll()
        leftOver.removeAll()
        progress = SoftAPProgress()
        // The firmware opens its socket immediately, in parallel to the scan.
        act(.listen)
        scan(at: now, over: &station)
        advance(to: now, over: &station)
    }

    /// Handles the button: the configuration is removed, and the device restarts.
    public mutating func press(at now: Instant, over station: inout some WiFiStation) {
        try? station.leave(at: now)
        restart(.button, at: now, over: &station)
        advance(to: now, over: &station)
    }

    /// Handles a failed connection: the TLS handshake failed, or the client reset it. It is fatal to the firmware.
    public mutating func failed(
        _ connection: SoftAPConnection, _ why: String, isByApp: Bool, at now: Instant,
        over station: inout some WiFiStation
    ) {
        ended(connection)
        act(.tell(.connectionFailed(why, isByApp: isByApp)))
        switch state {
        case .starting where isExact, .open where isExact: restart(.connection, at: now, over: &station)
        default: break
        }
    }

    /// Handles the end of a connection; nothing is sent on it any more.
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

    /// Performs the actions due at `now`, here and at the station.
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
        while let event = station.nextEvent() { receive(event, at: now, over: &station) }
    }

    private mutating func receive(_ event: WiFiEvent, at now: Instant, over station: inout some WiFiStation) {
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
            // If the access point is still up, it stays: the app can configure another network.
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

/// The progress of a device with its configured network.
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
