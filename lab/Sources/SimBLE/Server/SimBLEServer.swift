// SPDX-License-Identifier: Apache-2.0

public import HostLoop
public import Peripheral
public import Phone
public import Timekeeping

/// The properties of the central that apps drive.
public struct SimBLESettings: Equatable, Sendable {
    /// The share of time in which it listens while it scans.
    public var scanning = ScanDuty.always
    /// The parameters of its connections, with the time limit of an attempt.
    public var connection = ConnectionSettings()
    /// The ATT_MTU that it requests after connecting.
    public var maximumMTU = GATTClient.largestMTU

    /// The defaults of the lab's phones.
    public init() {}

    /// Takes over the radio of a kind of phone.
    public mutating func become(_ preset: PhonePreset) {
        scanning = preset.scanning
        let limit = connection.timeLimit
        connection = preset.connection
        connection.timeLimit = limit
        maximumMTU = preset.maximumMTU
    }
}

/// The helper's end of SimBLE's wire: apps of an iOS Simulator use the central of this server as their Bluetooth.
///
/// A value without I/O: octets of connections, controller packets and the time go in; octets, packets and notices come
/// out (`nextEffect`, `popPacket`). All connections share the central, because the published library opens a connection
/// for each request, and one without a request for events. Of the wire's version 1 it serves the central role.
public struct SimBLEServer: HostedDevice, Sendable {
    /// The maximum number of connections. A further one replaces the oldest that has not given the token, and is
    /// refused if all have.
    public static let maximumConnections = 32
    /// The time after which a connection without a request receives events. The library's requests come at once, and
    /// read one frame only, which must not be an event.
    static let silence = Duration.milliseconds(100)
    /// The maximum time from the first octet of a frame to its last.
    static let frameTime = Duration.seconds(10)
    /// The time after which a scan reports a device again whose data are unchanged: so its RSSI is visible.
    static let repetition = Duration.seconds(1)
    /// The time without a connection after which the app is considered to have ended: its scan and its links end.
    static let absence = Duration.seconds(5)
    /// The pause before a controller that has failed is started again.
    static let restartPause = Duration.seconds(1)
    /// The pace of notices of refused peers.
    static let refusals = TokenBucket.Pace(size: 1, interval: .seconds(1))

    let token: SimBLEToken
    let settings: SimBLESettings
    var central: Central
    var state = SimBLEManagerState.unknown
    var connections: [SimBLEConnectionID: SimBLEConnection] = [:]
    var links: [LinkID: SimBLELink] = [:]
    /// The devices to connect to, each with the requests that wait for it; the first is being connected.
    var attempts: [SimBLEAttempt] = []
    var scan: SimBLEScan?
    /// The time since when there has been no connection; nil while there is one.
    var absentSince: Instant?
    var restart: Instant?
    var refusals = TokenBucket(SimBLEServer.refusals, at: .origin)
    var effects: [SimBLEEffect] = []
    /// The connections whose request was answered, for their next.
    var answered: [SimBLEConnectionID] = []
    private var nextConnection: UInt64 = 0

    /// A server that is not started.
    ///
    /// - Parameter address: the random static address of its central.
    public init(token: SimBLEToken, address: BluetoothAddress, settings: SimBLESettings = SimBLESettings()) {
        self.token = token
        self.settings = settings
        central = Central(address: address, scanning: settings.scanning)
    }

    // MARK: - The controller

    /// Starts the controller.
    public mutating func start(at now: Instant) {
        restart = nil
        central.start(at: now)
        settle(at: now)
    }

    /// Handles one H4 packet from the controller.
    public mutating func receive(_ packet: Span<UInt8>, at now: Instant) {
        central.receive(packet, at: now)
        settle(at: now)
    }

    /// Handles the loss of the transport: all links have ended. `start` follows when it is open again.
    public mutating func transportLost(at now: Instant) {
        central.transportLost()
        change(to: .resetting)
        settle(at: now)
    }

    /// Copies the next packet for the controller into `packet`; false if no packet is pending.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool { central.popPacket(into: &packet) }

    /// Removes and returns the next effect, or nil.
    public mutating func nextEffect() -> SimBLEEffect? { effects.isEmpty ? nil : effects.removeFirst() }

    // MARK: - Time

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        if let restart, now >= restart { start(at: now) }
        central.advance(to: now)
        for id in links.keys { links[id]?.client.timePassed(now) }
        for id in connections.keys.sorted() { connectionDue(id, at: now) }
        if let since = absentSince, now >= since + SimBLEServer.absence { endApps(at: now) }
        settle(at: now)
    }

    /// The time of the next call of `advance`; nil if only an input can change anything.
    public var nextDeadline: Instant? {
        var next = Instant.earlier(central.nextDeadline, restart)
        next = Instant.earlier(next, absentSince.map { $0 + SimBLEServer.absence })
        for link in links.values { next = Instant.earlier(next, link.client.deadline) }
        for connection in connections.values { next = Instant.earlier(next, connection.deadline) }
        return next
    }

    // MARK: - Connections

    /// Adds a connection; nil if there are too many.
    public mutating func connected(at now: Instant) -> SimBLEConnectionID? {
        if connections.count >= SimBLEServer.maximumConnections {
            let why = "\(connections.count) connections are open"
            // The newest one: the app's connection for events, which never gives a token, is there since its launch.
            guard let newest = connections.filter({ !$0.value.hasToken }).keys.max() else {
                reportRefusal(why, at: now)
                return nil
            }
            close(newest, "\(why), and it has not given the token", at: now)
        }
        let id = SimBLEConnectionID(rawValue: nextConnection)
        nextConnection += 1
        connections[id] = SimBLEConnection(stage: .silent(until: now + SimBLEServer.silence))
        absentSince = nil
        return id
    }

    /// Removes a connection that its peer has closed, or that is closed for it.
    public mutating func disconnected(_ id: SimBLEConnectionID, at now: Instant) {
        guard connections.removeValue(forKey: id) != nil else { return }
        withdrawRequests(of: id, at: now)
        if connections.isEmpty { absentSince = now }
    }

    /// Handles octets of a connection.
    public mutating func receive(_ octets: Span<UInt8>, from id: SimBLEConnectionID, at now: Instant) {
        guard connections[id] != nil else { return }
        connections[id]?.receive(octets, at: now)
        serve(id, at: now)
        settle(at: now)
    }

    // MARK: - Outputs

    mutating func report(_ notice: SimBLENotice) { effects.append(.notice(notice)) }

    /// Reports a refused peer, unless another was refused just before.
    mutating func reportRefusal(_ why: String, at now: Instant) {
        if refusals.admit(at: now) { report(.refused(why)) }
    }

    mutating func change(to state: SimBLEManagerState) {
        guard self.state != state else { return }
        self.state = state
        broadcast(.centralState(state))
    }
}
