// SPDX-License-Identifier: Apache-2.0

public import Peripheral
public import Timekeeping
public import WiFi
public import WiFiStation

/// A device with another purpose that phones can provision with a network during a time window: the profile `gateway`
/// of Nordic's Wi-Fi provisioning, on wpa_supplicant.
///
/// It is a separate device on the radio, with its own address and attribute table: outside its window it does not
/// advertise, and it is invisible to phones of the other device, whose cached attributes remain valid.
///
/// The supplicant stores the networks; the gateway knows their names only.
public struct ProvisioningGateway: Sendable {
    /// The configuration of a gateway.
    public struct Configuration: Equatable, Sendable {
        /// The duration of a window.
        public var window: Duration = .seconds(300)
        /// True if a window opens automatically if no network is stored at the start.
        public var opensAtFirstBoot = false
        /// The random address for advertising.
        public var address: BluetoothAddress
        /// The identifier of its advertising set.
        public var advertisingSet: UInt8
        /// The index among the host's devices.
        public var device = 1

        /// The configuration of a gateway with this address and advertising set.
        public init(address: BluetoothAddress, advertisingSet: UInt8) {
            self.address = address
            self.advertisingSet = advertisingSet
        }
    }

    /// The maximum time without a request for a connected phone, while others wait.
    public static let phoneIdle = Duration.seconds(60)
    /// The maximum time until a phone has encrypted its link, regardless of its requests: Just Works requires no user
    /// and takes a second or two. An unencrypted phone has proven nothing, and there is one connection for all.
    public static let encryptionWait = Duration.seconds(10)

    /// The configuration.
    public let configuration: Configuration
    /// The attributes for the host.
    public let served: ServedDevice
    /// The open window; nil while the window is closed.
    public private(set) var window: GatewayWindow?
    /// The station; the owner of the supplicant's socket performs its requests.
    public var station: SupplicantStation

    private let service: NordicService
    private var peripheral: NordicPeripheral?
    /// All links, including those being disconnected.
    private var links: [LinkID] = []
    private var phone: LinkID?
    /// The time at which the phone is disconnected; nil if no phone is connected, or it is being disconnected.
    private(set) var phoneDue: Instant?
    private var isEncrypted = false
    private var isTrying = false
    /// The names stored when the peripheral last requested storage.
    private var storedNames: [WiFiName] = []
    private var wasReady = false
    private var hasLookedAtFirst = false
    private var wasSaved: Bool?
    private var notices: [GatewayNotice] = []
    /// True while another way of provisioning uses the station: this one is hidden.
    public private(set) var isStationLent = false
    private var lentEvents: [WiFiEvent] = []

    /// A gateway with a closed window.
    ///
    /// - Throws: `DatabaseError` if the attribute table cannot be built.
    public init(_ configuration: Configuration, station: SupplicantStation) throws(DatabaseError) {
        self.configuration = configuration
        self.station = station
        var served: ServedDevice
        (served, service) = try NordicService.device(
            named: NordicProvisioning.usualName(station.address), profile: .gateway,
            advertisingSets: [configuration.advertisingSet])
        served.security = ProvisioningGateway.security
        self.served = served
    }

    /// Just Works without bonding. Unlike the firmware, it requires Secure Connections and 16-octet keys: an
    /// eavesdropper of a legacy pairing without a passkey obtains the key, and reads the passphrase (Core 5.4, Vol 3,
    /// Part H, 2.3.5.5).
    public static var security: SecurityPolicy {
        var policy = NordicService.security
        policy.secureConnections = .only
        policy.minimumKeySize = 16
        return policy
    }

    /// True if there is a link, including those being disconnected.
    public var hasLinks: Bool { !links.isEmpty }

    /// The advertising set; nil without a window, and while a phone is connected.
    public var advertisingSet: AdvertisingSet? {
        guard window != nil, phone == nil, let advertisement = peripheral?.advertisement else {
            return nil
        }
        return AdvertisingSet(
            id: configuration.advertisingSet, address: configuration.address, data: advertisement.data,
            scanResponse: advertisement.scanResponse, interval: advertisement.interval)
    }

    /// Removes and returns the oldest notice; nil if no notice is pending.
    public mutating func nextNotice() -> GatewayNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    // MARK: - The window

    /// Opens the window, or restarts its time. `time` is the configured duration by default.
    public mutating func open(
        _ cause: GatewayWindow.Cause, for time: Duration? = nil, _ host: inout Host, at now: Instant
    ) {
        let time = time ?? configuration.window
        window = GatewayWindow(cause, at: now, for: time)
        notices.append(.opened(cause, time))
        if peripheral == nil, !isStationLent { begin(at: now) }
        settle(&host, at: now)
    }

    /// Closes the window. A connected phone is disconnected; a join in progress continues.
    public mutating func close(_ end: GatewayWindow.End, _ host: inout Host, at now: Instant) {
        guard window != nil else { return }
        window = nil
        peripheral = nil
        phoneDue = nil
        for link in links { host.disconnect(link, reason: .remoteUserTerminated, at: now) }
        notices.append(.closed(end))
    }

    // MARK: - Another way of provisioning

    /// Lends the station to another way of provisioning; false while a phone uses this one. The service is hidden until
    /// `takeStationBack`.
    public mutating func lendStation() -> Bool {
        guard phone == nil, !isTrying else { return false }
        isStationLent = true
        peripheral = nil
        return true
    }

    /// Removes and returns the oldest event of the lent station; nil if no event is pending.
    public mutating func nextLentEvent() -> WiFiEvent? { lentEvents.isEmpty ? nil : lentEvents.removeFirst() }

    /// Takes the station back; the service is shown again while the window is open.
    public mutating func takeStationBack(at now: Instant) {
        guard isStationLent else { return }
        isStationLent = false
        lentEvents.removeAll()
        if window != nil, peripheral == nil { begin(at: now) }
    }

    /// Creates the service with the supplicant's networks.
    private mutating func begin(at now: Instant) {
        var stored = StoredNetworks(capacity: StoredNetworks.maximumCapacity, whenFull: .replaceOldest)
        // The current network first.
        let known = station.knownNetworks ?? []
        for network in known.filter({ !$0.isCurrent }).reversed() + known.filter(\.isCurrent) {
            stored.store(WiFiJoin(name: network.name, security: network.security ?? .open))
        }
        storedNames = stored.networks.map(\.name)
        var settings = NordicSettings(profile: .gateway)
        settings.capacity = StoredNetworks.maximumCapacity
        var peripheral = NordicPeripheral(
            NordicProvisioning(settings, stored: stored), service, device: configuration.device)
        peripheral.start(&station, at: now)
        self.peripheral = peripheral
    }

    // MARK: - The host

    /// Handles an event of the host; false if it concerns another device.
    public mutating func receive(_ event: HostEvent, _ host: inout Host, at now: Instant) -> Bool {
        switch event {
        case .connected(let link, let description):
            guard description.device == configuration.device else { return false }
            links.append(link)
            guard window != nil, phone == nil else {
                // The connection was established while advertising was being stopped.
                host.disconnect(link, reason: .remoteLowResources, at: now)
                return true
            }
            phone = link
            isEncrypted = false
            phoneDue = now + ProvisioningGateway.encryptionWait
            notices.append(.phoneConnected)
        case .disconnected(let link, _):
            guard links.contains(link) else { return false }
            links.removeAll { $0 == link }
            if phone == link {
                phone = nil
                phoneDue = nil
                notices.append(.phoneGone)
                if peripheral?.receive(event, &host, &station, at: now) == true { settle(&host, at: now) }
                if window?.isDone == true { close(.done, &host, at: now) }
            }
            return true
        default:
            guard let link = event.link, links.contains(link) else { return false }
            // Nothing is sent to a link being disconnected.
            guard link == phone else { return true }
            guard !isOver(at: now) else {
                advance(&host, to: now)
                return true
            }
            if case .securityChanged(_, let level) = event { isEncrypted = level.isEncrypted }
            if isEncrypted, event.isRequest || event.isSecurity { phoneDue = now + ProvisioningGateway.phoneIdle }
        }
        _ = peripheral?.receive(event, &host, &station, at: now)
        settle(&host, at: now)
        return true
    }

    /// True if the time of the window or of the phone is over, although `advance` was not called yet: a request may
    /// have waited, as while the process was stopped.
    private mutating func isOver(at now: Instant) -> Bool {
        window?.end(at: now, isJoining: isTrying) != nil || !mayLinger && phoneDue.map { $0 <= now } ?? false
    }

    /// True if the phone awaits a join, and may be silent meanwhile.
    private var mayLinger: Bool { isTrying && isEncrypted }

    /// The time of the next call of `advance` if nothing else happens.
    public var nextDeadline: Instant? {
        let own = Instant.earlier(window?.until, mayLinger ? nil : phoneDue)
        return Instant.earlier(own, peripheral?.deadline(station) ?? station.deadline)
    }

    /// Performs the actions due, and handles the supplicant's events.
    public mutating func advance(_ host: inout Host, to now: Instant) {
        settle(&host, at: now)
        if !mayLinger, let phone, let due = phoneDue, due <= now {
            phoneDue = nil
            host.disconnect(phone, reason: .remoteUserTerminated, at: now)
        }
        if let end = window?.end(at: now, isJoining: isTrying) { close(end, &host, at: now) }
    }

    // MARK: - Results

    private mutating func settle(_ host: inout Host, at now: Instant) {
        if peripheral != nil {
            peripheral?.advance(&station, to: now)
            for networks in peripheral?.settle(&host, at: now) ?? [] { store(networks, at: now) }
            while let notice = peripheral?.nextNotice() { report(notice, at: now) }
        } else {
            station.advance(to: now)
            while let event = station.nextEvent() {
                report(event)
                if isStationLent { lentEvents.append(event) }
            }
        }
        lookAtSupplicant()
        if !hasLookedAtFirst, let known = station.knownNetworks {
            hasLookedAtFirst = true
            if configuration.opensAtFirstBoot, known.isEmpty, window == nil {
                open(.firstBoot, &host, at: now)
            }
        }
    }

    /// Requests the supplicant to store the networks of the service.
    private mutating func store(_ networks: StoredNetworks, at now: Instant) {
        let names = networks.networks.map(\.name)
        if names.isEmpty {
            station.forget(nil, at: now)
        } else {
            for name in storedNames where !names.contains(name) { station.forget(name, at: now) }
            station.keep(at: now)
        }
        storedNames = names
    }

    private mutating func report(_ notice: NordicNotice, at now: Instant) {
        switch notice {
        case .joining(let name, .configured):
            isTrying = true
            notices.append(.trying(name))
        case .joined(let name, let address):
            if isTrying { window?.done(at: now) }
            endTrial(at: now)
            if let address { notices.append(.joined(name, address)) }
        case .joinFailed(let name, let failure):
            if isTrying { notices.append(.notJoined(name, failure)) }
            endTrial(at: now)
        case .lost: notices.append(.lost)
        case .stored(let name, false): notices.append(.kept(name))
        case .forgotten:
            endTrial(at: now)
            window?.undone()
            notices.append(.forgotten)
        default: break
        }
    }

    /// Ends the trial of a network.
    private mutating func endTrial(at now: Instant) {
        isTrying = false
        // The phone may send further requests.
        if phone != nil, isEncrypted { phoneDue = now + ProvisioningGateway.phoneIdle }
    }

    /// Handles an event of the station while there is no window.
    private mutating func report(_ event: WiFiEvent) {
        switch event {
        case .joined(let network, let address):
            isTrying = false
            notices.append(.joined(network.name, address))
        case .joinFailed: isTrying = false
        case .lost: notices.append(.lost)
        case .found, .scanEnded, .joining: break
        }
    }

    private mutating func lookAtSupplicant() {
        let isReady = station.knownNetworks != nil
        if isReady != wasReady {
            notices.append(
                isReady ? .supplicantReady(networks: station.knownNetworks?.count ?? 0) : .supplicantGone)
        }
        wasReady = isReady
        if station.isSaved == false, wasSaved != false { notices.append(.notSaved) }
        wasSaved = station.isSaved
    }
}

extension HostEvent {
    /// True if the event is a change of a link's security.
    fileprivate var isSecurity: Bool {
        if case .securityChanged = self { true } else { false }
    }

    /// True if the event is a phone's request.
    fileprivate var isRequest: Bool {
        switch self {
        case .readRequested, .writeRequested, .subscribed: true
        default: false
        }
    }
}
