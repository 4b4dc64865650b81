public import Peripheral
public import Timekeeping

/// A device that has something else to do and lets phones bring it into a network, in a window of time only: the profile
/// `gateway` of Nordic's Wi-Fi provisioning, on wpa_supplicant.
///
/// It is a device of its own on the radio, with its own address and table: outside its window it is not advertised, and phones
/// of the other device see nothing of it. So nothing that phones have cached of the other one becomes wrong either.
///
/// The supplicant keeps the networks; this knows them by name alone.
public struct ProvisioningGateway: Sendable {
    /// What a gateway is told.
    public struct Configuration: Equatable, Sendable {
        /// How long a window is open.
        public var window: Duration = .seconds(300)
        /// Whether one opens by itself when no network is known at the start.
        public var opensAtFirstBoot = false
        /// The random address that it advertises with.
        public var address: BluetoothAddress
        /// The identifier of its advertising set.
        public var advertisingSet: UInt8
        /// Which of the host's devices it is.
        public var device = 1

        /// A gateway with this address and advertising set.
        public init(address: BluetoothAddress, advertisingSet: UInt8) {
            self.address = address
            self.advertisingSet = advertisingSet
        }
    }

    /// How long a phone may be connected without a request, while others wait.
    public static let phoneIdle = Duration.seconds(60)
    /// How long a phone has to encrypt its link, whatever else it does: Just Works asks nobody anything, and takes a
    /// second or two. Until then it has proven nothing, and there is one place for all.
    public static let encryptionWait = Duration.seconds(10)

    /// What it was told.
    public let configuration: Configuration
    /// Its attributes, for the host.
    public let served: ServedDevice
    /// The window; nil while there is none.
    public private(set) var window: GatewayWindow?
    /// The station: whoever has its socket does what it asks for.
    public var station: SupplicantStation

    private let service: NordicService
    private var peripheral: NordicPeripheral?
    /// The links that it was told of, those on their way out included.
    private var links: [LinkID] = []
    private var phone: LinkID?
    /// When the phone is sent away; nil while there is none, or it is on its way out.
    private(set) var phoneDue: Instant?
    private var isEncrypted = false
    private var isTrying = false
    /// The names that were stored when the peripheral last said what to store.
    private var storedNames: [WiFiName] = []
    private var wasReady = false
    private var hasLookedAtFirst = false
    private var wasSaved: Bool?
    private var notices: [GatewayNotice] = []

    /// A gateway whose window is closed. Throws if its table cannot be made.
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

    /// Just Works, and nothing is kept. Unlike the firmware's, only by Secure Connections and with whole keys: who listens to a
    /// legacy pairing without a passkey has its key, and reads the passphrase (Core 5.4, Vol 3, Part H, 2.3.5.5).
    public static var security: SecurityPolicy {
        var policy = NordicService.security
        policy.secureConnections = .only
        policy.minimumKeySize = 16
        return policy
    }

    /// Whether any link is up, those on their way out included.
    public var hasLinks: Bool { !links.isEmpty }

    /// What it advertises; nil while nobody is to find it: without a window, and while a phone is connected.
    public var advertisingSet: AdvertisingSet? {
        guard window != nil, phone == nil, let advertisement = peripheral?.advertisement else {
            return nil
        }
        return AdvertisingSet(
            id: configuration.advertisingSet, address: configuration.address, data: advertisement.data,
            scanResponse: advertisement.scanResponse, interval: advertisement.interval)
    }

    /// The oldest thing that happened and was not told yet.
    public mutating func nextNotice() -> GatewayNotice? {
        notices.isEmpty ? nil : notices.removeFirst()
    }

    // MARK: - The window

    /// Opens the window, or begins its time anew. `time` is the configuration's if nothing is said.
    public mutating func open(
        _ cause: GatewayWindow.Cause, for time: Duration? = nil, _ host: inout Host, at now: Instant
    ) {
        let time = time ?? configuration.window
        window = GatewayWindow(cause, at: now, for: time)
        notices.append(.opened(cause, time))
        if peripheral == nil { begin(at: now) }
        settle(&host, at: now)
    }

    /// Closes it; a phone that is connected is sent away, a join that is under way goes on.
    public mutating func close(_ end: GatewayWindow.End, _ host: inout Host, at now: Instant) {
        guard window != nil else { return }
        window = nil
        peripheral = nil
        phoneDue = nil
        for link in links { host.disconnect(link, reason: .remoteUserTerminated, at: now) }
        notices.append(.closed(end))
    }

    /// A service that begins with what the supplicant knows.
    private mutating func begin(at now: Instant) {
        var stored = StoredNetworks(capacity: StoredNetworks.maximumCapacity, whenFull: .replaceOldest)
        // The one that is joined at the front.
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

    /// Takes an event of the host; false if it is none of this device's.
    public mutating func take(_ event: HostEvent, _ host: inout Host, at now: Instant) -> Bool {
        switch event {
        case .connected(let link, let description):
            guard description.device == configuration.device else { return false }
            links.append(link)
            guard window != nil, phone == nil else {
                // It crossed with the end of advertising.
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
                if peripheral?.take(event, &host, &station, at: now) == true { settle(&host, at: now) }
                if window?.isDone == true { close(.done, &host, at: now) }
            }
            return true
        default:
            guard let link = event.link, links.contains(link) else { return false }
            // Nothing is said to one that is being sent away.
            guard link == phone else { return true }
            if case .securityChanged(_, let level) = event { isEncrypted = level.isEncrypted }
            if isEncrypted, event.isRequest || event.isSecurity { phoneDue = now + ProvisioningGateway.phoneIdle }
        }
        _ = peripheral?.take(event, &host, &station, at: now)
        settle(&host, at: now)
        return true
    }

    /// Whether the phone waits for a join, and may be silent meanwhile.
    private var mayLinger: Bool { isTrying && isEncrypted }

    /// When to call `advance` if nothing else happens.
    public var nextDeadline: Instant? {
        let own = Instant.earlier(window?.until, mayLinger ? nil : phoneDue)
        return Instant.earlier(own, peripheral?.deadline(station) ?? station.deadline)
    }

    /// Does what is due, and takes what the supplicant has said.
    public mutating func advance(_ host: inout Host, to now: Instant) {
        settle(&host, at: now)
        if !mayLinger, let phone, let due = phoneDue, due <= now {
            phoneDue = nil
            host.disconnect(phone, reason: .remoteUserTerminated, at: now)
        }
        if let end = window?.end(at: now, isJoining: isTrying) { close(end, &host, at: now) }
    }

    // MARK: - What comes of it

    private mutating func settle(_ host: inout Host, at now: Instant) {
        if peripheral != nil {
            peripheral?.advance(&station, to: now)
            for networks in peripheral?.settle(&host, at: now) ?? [] { store(networks, at: now) }
            while let notice = peripheral?.nextNotice() { note(notice, at: now) }
        } else {
            station.advance(to: now)
            while let event = station.nextEvent() { note(event) }
        }
        lookAtSupplicant()
        if !hasLookedAtFirst, let known = station.knownNetworks {
            hasLookedAtFirst = true
            if configuration.opensAtFirstBoot, known.isEmpty, window == nil {
                open(.firstBoot, &host, at: now)
            }
        }
    }

    /// What the service wants kept: the supplicant does that.
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

    private mutating func note(_ notice: NordicNotice, at now: Instant) {
        switch notice {
        case .joining(let name, .configured):
            isTrying = true
            notices.append(.trying(name))
        case .joined(let name, let address):
            if isTrying { window?.done(at: now) }
            hasTried(at: now)
            if let address { notices.append(.joined(name, address)) }
        case .joinFailed(let name, let failure):
            if isTrying { notices.append(.notJoined(name, failure)) }
            hasTried(at: now)
        case .lost: notices.append(.lost)
        case .stored(let name, false): notices.append(.kept(name))
        case .forgotten:
            hasTried(at: now)
            notices.append(.forgotten)
        default: break
        }
    }

    private mutating func hasTried(at now: Instant) {
        isTrying = false
        // The phone may say more.
        if phone != nil, isEncrypted { phoneDue = now + ProvisioningGateway.phoneIdle }
    }

    /// What the station tells while there is no window.
    private mutating func note(_ event: WiFiEvent) {
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
    /// The link that it is about; nil if it is about none.
    fileprivate var link: LinkID? {
        switch self {
        case .ready, .controllerFailed: nil
        case .connected(let link, _), .disconnected(let link, _), .intervalChanged(let link, _),
            .rssi(let link, _),
            .mtuExchanged(let link, _), .written(let link, _, _), .subscribed(let link, _, _),
            .confirmed(let link, _),
            .writable(let link), .displayPasskey(let link, _), .requestPasskey(let link),
            .compare(let link, _),
            .securityChanged(let link, _), .paired(let link, _), .pairingFailed(let link, _),
            .channelOpened(let link, _, _), .channelReceived(let link, _, _),
            .channelWritable(let link, _),
            .channelReconfigured(let link, _, _), .channelClosed(let link, _):
            link
        case .readRequested(let request, _, _), .writeRequested(let request, _, _): request.link
        }
    }

    /// Whether it says how the link is protected.
    fileprivate var isSecurity: Bool {
        if case .securityChanged = self { true } else { false }
    }

    /// Whether a phone has asked for something.
    fileprivate var isRequest: Bool {
        switch self {
        case .readRequested, .writeRequested, .subscribed: true
        default: false
        }
    }
}
