// SPDX-License-Identifier: Apache-2.0

public import Peripheral
import Protobuf
public import Timekeeping
public import WiFi
public import WiFiStation

/// The device side of Nordic's Wi-Fi provisioning, as a value without I/O: writes of phones, events of the station
/// and the time go in; values to send and advertising come out. It joins and stores networks, and returns to the
/// previous one after a failure.
///
/// It uses a `WiFiStation` that is passed to each call. After each call drain `nextAction`, and call `advance` at
/// `deadline`. The client that wrote last receives networks and states, as in the firmware.
///
/// ```swift
/// var device = NordicProvisioning(NordicSettings(profile: .gateway))
/// device.start(&wifi, at: now)
/// device.write([0x08, 0x01].span, from: link, &wifi, at: now)
/// while let action = device.nextAction() { … }
/// ```
public struct NordicProvisioning: Sendable {
    /// The settings.
    public let settings: NordicSettings
    /// The networks in non-volatile memory.
    public internal(set) var stored: StoredNetworks
    /// The network that is held until power-off.
    public internal(set) var volatileNetwork: WiFiJoin?

    /// The recipient of networks and states: the client that wrote last.
    var addressee: LinkID?
    var links: [LinkID] = []
    var joining = NordicJoining()
    var scan: NordicScan?
    var advertising = NordicAdvertising()
    private var actions: [NordicAction] = []
    private var notices: [NordicNotice] = []

    /// The maximum number of queued notices. The oldest beyond it are dropped: they serve observation only.
    static let mostNotices = 4096

    /// A device with these networks, limited to the capacity of the profile, idle until `start`.
    public init(_ settings: NordicSettings = NordicSettings(), stored: StoredNetworks? = nil) {
        self.settings = settings
        var kept = settings.emptyStore
        for network in (stored?.networks.prefix(kept.capacity) ?? []).reversed() { kept.store(network) }
        self.stored = kept
    }

    var isExact: Bool { settings.profile == .exact }

    // MARK: - Inputs

    /// Switches the device on: it advertises, and joins its stored networks.
    public mutating func start(_ wifi: inout some WiFiStation, at now: Instant) {
        beginAdvertising(wifi, at: now)
        joinStored(.stored, &wifi, at: now)
        settle(&wifi, at: now)
    }

    /// Handles a client's connection.
    public mutating func connected(_ link: LinkID, _ wifi: inout some WiFiStation, at now: Instant) {
        links.append(link)
        if isExact { pauseAdvertising() }
        settle(&wifi, at: now)
    }

    /// Handles the end of a link.
    public mutating func disconnected(_ link: LinkID, _ wifi: inout some WiFiStation, at now: Instant) {
        guard links.contains(link) else { return }
        links.removeAll { $0 == link }
        if addressee == link {
            addressee = nil
            // A phone's scan is stopped with its link. The firmware cannot stop a scan.
            if !isExact { stopScan(&wifi, at: now) }
        }
        if isExact, links.isEmpty { resumeAdvertising(wifi, at: now) }
        settle(&wifi, at: now)
    }

    /// Handles a failed pairing, which ends the link (as in the sample).
    public mutating func pairingFailed(_ link: LinkID) { act(.disconnect(link, .authenticationFailure)) }

    /// The version, for a client's read.
    public mutating func readInformation(from link: LinkID) -> [UInt8] {
        report(.informationRead(link))
        var octets: [UInt8] = []
        NordicInformation(version: UInt32(settings.version)).encode(into: &octets)
        return octets
    }

    /// Handles a write to the control point. The response is the first resulting `send`.
    public mutating func write(
        _ value: Span<UInt8>, from link: LinkID, _ wifi: inout some WiFiStation, at now: Instant
    ) {
        // Earlier events belong to the previous client.
        settle(&wifi, at: now)
        addressee = link
        answer(value, from: link, &wifi, at: now)
        settle(&wifi, at: now)
    }

    /// The time of the next call of `advance` if nothing else happens; nil for none.
    public func deadline(_ wifi: some WiFiStation) -> Instant? {
        Instant.earlier(Instant.earlier(wifi.deadline, joining.retry), advertising.deadline)
    }

    /// Performs the actions due at `now`.
    public mutating func advance(_ wifi: inout some WiFiStation, to now: Instant) { settle(&wifi, at: now) }

    // MARK: - Outputs

    /// Removes and returns the next action; nil if no action is pending.
    public mutating func nextAction() -> NordicAction? { actions.isEmpty ? nil : actions.removeFirst() }

    /// Removes and returns the oldest notice; nil if no notice is pending.
    public mutating func nextNotice() -> NordicNotice? { notices.isEmpty ? nil : notices.removeFirst() }

    mutating func act(_ action: NordicAction) { actions.append(action) }

    /// Queues a notice.
    mutating func report(_ notice: NordicNotice) {
        if notices.count >= NordicProvisioning.mostNotices { notices.removeFirst() }
        notices.append(notice)
    }

    // MARK: - Time and the station

    /// Handles all events until `now`.
    private mutating func settle(_ wifi: inout some WiFiStation, at now: Instant) {
        wifi.advance(to: now)
        while let event = wifi.nextEvent() { receive(event, &wifi, at: now) }
        retryIfDue(&wifi, at: now)
        while let event = wifi.nextEvent() { receive(event, &wifi, at: now) }
        refreshAdvertising(wifi, at: now)
    }

    private mutating func receive(_ event: WiFiEvent, _ wifi: inout some WiFiStation, at now: Instant) {
        switch event {
        case .found(let network): found(network)
        case .scanEnded: if !isExact { scan?.isRunning = false }
        case .joining(let step): came(to: step)
        case .joined(let network, let address): joined(network, address)
        case .joinFailed(let failure): joinFailed(failure, &wifi, at: now)
        case .lost: lost(at: now)
        }
    }

    // MARK: - Sending

    /// Sends a message to the client that wrote last, if there is one.
    mutating func notify(_ step: NordicStep, _ result: NordicResult) {
        guard let addressee else { return }
        var octets: [UInt8] = []
        result.encode(into: &octets)
        act(.send(NordicMessage(step: step, characteristic: .dataOut, link: addressee, octets: octets)))
    }

    /// Reports the connection state. During a client's scan the stock app for Android accepts nothing else, so
    /// `gateway` does not report it then.
    mutating func notify(_ state: NordicConnectionState, reason: NordicFailureReason? = nil) {
        if !isExact, scan != nil { return }
        notify(state.step, NordicResult(state: state, reason: reason))
    }

    private mutating func found(_ network: WiFiNetwork) {
        if isExact { return notify(.record, NordicResult(record: NordicScanRecord(exact: network))) }
        guard scan?.isRunning == true else { return }
        guard let record = NordicScanRecord(network) else { return report(.recordLeftOut(network.name)) }
        notify(.record, NordicResult(record: record))
    }
}

/// A scan that a client has requested from `gateway`. Once ended, it remains until the client requests something
/// else.
struct NordicScan: Sendable {
    /// The requested parameters.
    var parameters: NordicScanParameters
    /// The end of the requested period; nil for none.
    var end: Instant?
    var isRunning = true

    /// The scan information in a status, with all four fields: the stock app for Android requires all or none.
    func information(at now: Instant) -> NordicScanParameters? {
        guard isRunning else { return nil }
        let left = end.map { UInt32(clamping: max(($0 - now).wholeMilliseconds, 1)) }
        return NordicScanParameters(
            band: parameters.band ?? .any, passive: parameters.passive ?? false, periodMilliseconds: left ?? 0,
            groupChannels: parameters.groupChannels ?? 0)
    }
}
