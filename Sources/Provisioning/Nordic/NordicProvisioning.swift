public import Peripheral
import Protobuf
public import Timekeeping

/// The device side of Nordic's Wi-Fi provisioning, without I/O: what phones write, what the station tells and the time go
/// in, values to send and what to advertise come out. It joins, stores, and goes back to what it was in.
///
/// It works on a `WiFiStation` that it is lent with each call. After each call take the actions, and call `advance` when
/// `deadline` has come. The client that wrote last is the one that is told of networks and states, as in the firmware.
///
/// ```swift
/// var device = NordicProvisioning(NordicSettings(profile: .gateway))
/// device.start(&wifi, at: now)
/// device.write([0x08, 0x01].span, from: link, &wifi, at: now)
/// while let action = device.nextAction() { … }
/// ```
public struct NordicProvisioning: Sendable {
    /// What it was told.
    public let settings: NordicSettings
    /// The networks that outlast the power.
    public internal(set) var stored: StoredNetworks
    /// The network that is remembered until the power is gone.
    public internal(set) var volatileNetwork: WiFiJoin?

    /// Who is told of networks and states: the client that wrote last.
    var addressee: LinkID?
    var links: [LinkID] = []
    var joining = NordicJoining()
    var scan: NordicScan?
    var advertising = NordicAdvertising()
    private var actions: [NordicAction] = []
    private var notices: [NordicNotice] = []

    /// How many notices wait for somebody who takes them; then the oldest are dropped, they are for watching only.
    static let mostNotices = 4096

    /// A device with these networks, which are cut to what the profile has room for. Nothing happens before `start`.
    public init(_ settings: NordicSettings = NordicSettings(), stored: StoredNetworks? = nil) {
        self.settings = settings
        var kept = settings.emptyStore
        for network in (stored?.networks.prefix(kept.capacity) ?? []).reversed() { kept.store(network) }
        self.stored = kept
    }

    var isExact: Bool { settings.profile == .exact }

    // MARK: - Inputs

    /// The device is switched on: it can be found, and joins what it has stored.
    public mutating func start(_ wifi: inout some WiFiStation, at now: Instant) {
        beginAdvertising(wifi, at: now)
        joinStored(.stored, &wifi, at: now)
        settle(&wifi, at: now)
    }

    /// A client has connected.
    public mutating func connected(_ link: LinkID, _ wifi: inout some WiFiStation, at now: Instant) {
        links.append(link)
        if isExact { pauseAdvertising() }
        settle(&wifi, at: now)
    }

    /// A link is gone.
    public mutating func disconnected(_ link: LinkID, _ wifi: inout some WiFiStation, at now: Instant) {
        guard links.contains(link) else { return }
        links.removeAll { $0 == link }
        if addressee == link {
            addressee = nil
            // Nobody reads on: what a phone began to look for is given up. The firmware has nothing to stop a scan with.
            if !isExact { stopScan(&wifi, at: now) }
        }
        if isExact, links.isEmpty { resumeAdvertising(wifi, at: now) }
        settle(&wifi, at: now)
    }

    /// A client's pairing failed: its link ends (the sample).
    public mutating func pairingFailed(_ link: LinkID) { act(.disconnect(link, .authenticationFailure)) }

    /// The version, for a client that reads it.
    public mutating func readInformation(from link: LinkID) -> [UInt8] {
        tell(.informationRead(link))
        var octets: [UInt8] = []
        NordicInformation(version: UInt32(settings.version)).encode(into: &octets)
        return octets
    }

    /// A client has written to the control point. The answer is the first `send` that comes of it.
    public mutating func write(
        _ value: Span<UInt8>, from link: LinkID, _ wifi: inout some WiFiStation, at now: Instant
    ) {
        // What has come due before goes to the one who asked for it.
        settle(&wifi, at: now)
        addressee = link
        answer(value, from: link, &wifi, at: now)
        settle(&wifi, at: now)
    }

    /// When to call `advance` if nothing else happens; nil if it waits for nothing.
    public func deadline(_ wifi: some WiFiStation) -> Instant? {
        Instant.earlier(Instant.earlier(wifi.deadline, joining.retry), advertising.deadline)
    }

    /// Does what is due.
    public mutating func advance(_ wifi: inout some WiFiStation, to now: Instant) { settle(&wifi, at: now) }

    // MARK: - Outputs

    /// The next thing to do; nil if there is none.
    public mutating func nextAction() -> NordicAction? { actions.isEmpty ? nil : actions.removeFirst() }

    /// The oldest notice that was not taken yet.
    public mutating func nextNotice() -> NordicNotice? { notices.isEmpty ? nil : notices.removeFirst() }

    mutating func act(_ action: NordicAction) { actions.append(action) }

    /// Tells what happened.
    mutating func tell(_ notice: NordicNotice) {
        if notices.count >= NordicProvisioning.mostNotices { notices.removeFirst() }
        notices.append(notice)
    }

    // MARK: - Time and the station

    /// Takes all that has happened by `now`.
    private mutating func settle(_ wifi: inout some WiFiStation, at now: Instant) {
        wifi.advance(to: now)
        while let event = wifi.nextEvent() { take(event, &wifi, at: now) }
        retryIfDue(&wifi, at: now)
        while let event = wifi.nextEvent() { take(event, &wifi, at: now) }
        refreshAdvertising(wifi, at: now)
    }

    private mutating func take(_ event: WiFiEvent, _ wifi: inout some WiFiStation, at now: Instant) {
        switch event {
        case .found(let network): found(network)
        case .scanEnded: if !isExact { scan?.isRunning = false }
        case .joining(let step): came(to: step)
        case .joined(let network, let address): joined(network, address)
        case .joinFailed(let failure): joinFailed(failure, &wifi, at: now)
        case .lost: lost(at: now)
        }
    }

    // MARK: - What is sent

    /// Sends a message to the client that wrote last, if there is one.
    mutating func notify(_ step: NordicStep, _ result: NordicResult) {
        guard let addressee else { return }
        var octets: [UInt8] = []
        result.encode(into: &octets)
        act(.send(NordicMessage(step: step, characteristic: .dataOut, link: addressee, octets: octets)))
    }

    /// Tells how far the device is. While a client looks for networks, the stock app for Android takes nothing else:
    /// `gateway` does not tell it then.
    mutating func notify(_ state: NordicConnectionState, reason: NordicFailureReason? = nil) {
        if !isExact, scan != nil { return }
        notify(state.step, NordicResult(state: state, reason: reason))
    }

    private mutating func found(_ network: WiFiNetwork) {
        if isExact { return notify(.record, NordicResult(record: NordicScanRecord(exact: network))) }
        guard scan?.isRunning == true else { return }
        guard let record = NordicScanRecord(network) else { return tell(.recordLeftOut(network.name)) }
        notify(.record, NordicResult(record: record))
    }
}

/// A scan that a client has asked `gateway` for. It stays, ended, until the client asks for something else.
struct NordicScan: Sendable {
    /// What the client wanted.
    var parameters: NordicScanParameters
    /// When it is over; nil if the client did not say.
    var end: Instant?
    var isRunning = true

    /// As a status tells of it, with all four fields: the stock app for Android wants all or none.
    func information(at now: Instant) -> NordicScanParameters? {
        guard isRunning else { return nil }
        let left = end.map { UInt32(clamping: max(($0 - now).wholeMilliseconds, 1)) }
        return NordicScanParameters(
            band: parameters.band ?? .any, passive: parameters.passive ?? false, periodMilliseconds: left ?? 0,
            groupChannels: parameters.groupChannels ?? 0)
    }
}
