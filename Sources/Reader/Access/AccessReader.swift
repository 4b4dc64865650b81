// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
public import Credentials
public import Crypto
public import Peripheral
import Proximity
public import Timekeeping

/// The access reader, from connections and proximity to requests and the door.
///
/// A value without I/O, which joins values of one idea each: the transports, the ledger, the commands, the policy and
/// the door. Inputs are the host's events, command APDUs and the time; the host is driven through its port, and all
/// other outputs are in `effects`.
public struct AccessReader: ~Copyable {
    /// The configuration in force. The values that links and openings need are copied to them.
    public internal(set) var configuration: AccessConfiguration {
        didSet {
            (links.maximum, links.times) = (configuration.maximumLinks, configuration.linkTimes)
            ledger.reArmTime = configuration.reArm
        }
    }
    let identity: ReaderIdentity
    var table: AccessTable
    /// The Bluetooth LE transport.
    var links: LinkPool
    /// The card transport.
    var card = CardTransport()
    /// The card in the field of the poll role; nil without one.
    var polled: PolledCard?
    /// The listed cards; nil if the list cannot be read.
    var cards: CardList? = CardList() {
        didSet { cardChanges &+= 1 }
    }
    /// The number of lists so far.
    var cardChanges = 0
    /// The place of the number on DESFire cards, with the keys that read it; nil refuses these cards.
    public var desfire: DESFireCredential?
    /// The site's key, which proves the reader to PKOC phones over Bluetooth LE; nil refuses those that require it.
    public var pkocSite: (any HeldPrivateKey)?
    /// The Aliro reader and its store; nil for none.
    var aliroDoor: AliroDoor?
    /// Links with an answer that their transport has not taken, in order.
    var answered: [AccessLink] = []
    /// The records on their way into the log, and the openings that wait for them.
    public var ledger: RecordLedger
    /// Commands that wait for the event store.
    var commands = PendingCommands()
    /// The blacklist, and whether it is known.
    var policy: ReaderPolicy
    var door: DoorControl
    var isShuttingDown = false
    /// True if the RSSI of links is also read after the gate, for a trace; set by the shell.
    public var tracesRSSI = false
    /// The end of the site survey; nil if there was none.
    var surveyEnds: Instant?
    /// The last state of advertising, and the one last reported.
    private(set) var advertising = AdvertisingStatus()
    private var reportedAdvertising = AdvertisingState.off
    private var reportedRefusals: [AdvertisingRefusal] = []
    /// The result of the command being executed; a buffer that is reused.
    var result: [UInt8] = []
    /// The effects since they were last taken, in order.
    public package(set) var effects: [ReaderEffect] = []

    /// Events that a phone may take along, oldest first.
    public internal(set) var eventsToCarry: [Event] = []
    /// The last known counters of the logs.
    public var logCounters = LogCounters()
    /// The state of the platform's updater, set by the shell when it is configured and when it has ended.
    public var updater = UpdaterState.absent
    /// The way of a grant, set by the shell as the panel comes and goes.
    public var grantRoute = GrantRoute.door
    /// The configuration that was pushed last.
    var pushed: PushedConfiguration?

    /// A reader before its first input.
    public init(
        configuration: AccessConfiguration, identity: ReaderIdentity, table: AccessTable, door: DoorConfiguration
    ) {
        self.configuration = configuration
        self.identity = identity
        self.table = table
        self.door = DoorControl(door, configuration)
        links = LinkPool(configuration)
        ledger = RecordLedger(configuration.audit, reArmTime: configuration.reArm)
        policy = ReaderPolicy(capacity: configuration.blacklistCapacity)
        answered.reserveCapacity(8)
    }

    /// Replaces `taken` by the effects so far, in order. The reader continues with the memory of `taken`, so that a
    /// shell that calls this with the same array allocates nothing.
    public mutating func takeEffects(into taken: inout [ReaderEffect]) {
        taken.removeAll(keepingCapacity: true)
        swap(&taken, &effects)
    }

    /// Replaces the table, and ends all links: their phones know the old one.
    mutating func replace<Port: ReaderPort & ~Copyable>(
        _ table: AccessTable, port: inout Port, at now: Instant
    ) {
        self.table = table
        links.endAll(port: &port, at: now)
        // The sets have other numbers.
        (advertising, reportedRefusals) = (AdvertisingStatus(), [])
    }

    mutating func report(_ notice: ReaderNotice) { effects.append(.notice(notice)) }

    /// Secures the door and sets all of its outputs.
    public mutating func startDoor(at now: Instant) {
        door.start(at: now, into: &effects)
        report(.doorStarted)
    }

    /// Ends all links and removes the current from the door's outputs, for the end of the process. No further phone is
    /// served.
    public mutating func shutDown<Port: ReaderPort & ~Copyable>(port: inout Port, at now: Instant) {
        isShuttingDown = true
        links.close(port: &port, at: now, into: &effects)
        closeCard()
        cardLeft()
        door.shutDown(at: now, into: &effects)
    }

    /// Handles an event of the host.
    public mutating func receive<Port: ReaderPort & ~Copyable>(
        _ event: HostEvent, port: inout Port, random: inout some RandomSource, at moment: Moment
    ) {
        defer { door.flushEvents(at: moment, configuration, into: &effects, &ledger) }
        switch event {
        case .ready(let controller): controllerReady(controller, port: &port, at: moment.instant)
        case .controllerFailed(let fault): controllerFailed(fault)
        case .advertising(let status): advertisingChanged(status)
        case .connected(let link, let description): connected(link, description, port: &port, at: moment.instant)
        case .disconnected(let link, let reason):
            links.remove(link, reason.rawValue, port: &port, at: moment.instant, into: &effects)
        case .intervalChanged(let id, let interval):
            links.link(id)?.state.connectionIntervalChanged(to: interval)
            links.link(id)?.readings?.connectionIntervalChanged(to: interval)
        case .rssi(let id, let reading): measured(id, reading, port: &port, random: &random, at: moment)
        case .transmitPower(let id, let dBm): links.link(id)?.transmitPower = dBm
        case .transmitPowerUnavailable: links.tellsTransmitPower = false
        case .written(let id, let handle, let value):
            let octets = port.eventOctets
            guard value.upperBound <= octets.count else { return }
            written(id, handle, octets.span.extracting(value), port: &port, random: &random, at: moment)
        case .writable(let id): writable(id, port: &port, at: moment.instant)
        case .subscribed(let id, let handle, let configuration):
            subscribed(id, handle, configuration, port: &port, random: &random, at: moment)
        // A message may have waited for it.
        case .mtuExchanged(let id, _):
            if links.link(id)?.exchanged != nil { writable(id, port: &port, at: moment.instant) }
        case .readRequested, .writeRequested, .confirmed, .refused: break
        // The reader does not pair: phones authenticate in the session.
        case .displayPasskey, .requestPasskey, .compare, .securityChanged, .bondRemoved, .paired, .pairingFailed:
            break
        case .channelOpened(let id, let channel, let description):
            channelOpened(id, channel, spsm: description.spsm, port: &port, random: &random, at: moment)
        case .channelReceived(let id, let channel, let unit):
            let octets = port.eventOctets
            guard unit.upperBound <= octets.count else { return }
            channelReceived(id, channel, octets.span.extracting(unit), port: &port, at: moment)
        case .channelWritable(let id, _), .channelReconfigured(let id, _, _):
            if links.link(id)?.exchanged != nil { writable(id, port: &port, at: moment.instant) }
        case .channelClosed(let id, let channel): channelClosed(id, channel, at: moment)
        }
    }

    /// Handles the deadlines reached at `moment`.
    public mutating func advance<Port: ReaderPort & ~Copyable>(to moment: Moment, port: inout Port) {
        let now = moment.instant
        links.advance(to: now, port: &port, into: &effects)
        expireExchanges(port: &port, at: moment)
        advanceCard(to: now)
        advancePolledCard(to: now)
        expireCommands(port: &port, at: moment)
        // After the answers, which give a link time before it makes room.
        links.makeRoom(port: &port, at: now, into: &effects)
        door.advance(to: moment, configuration, into: &effects, &ledger)
    }

    /// The next time at which `advance` has work.
    public var nextDeadline: Instant? {
        // Read after every frame, so without a list.
        var earliest = Instant.earlier(door.nextDeadline, links.nextDeadline)
        earliest = Instant.earlier(earliest, commands.nextDeadline)
        earliest = Instant.earlier(earliest, polledDeadline)
        return Instant.earlier(earliest, cardDeadline)
    }

    /// Reports modes that the host cannot advertise.
    mutating func unserved(_ modes: [AdvertisingMode]) {
        if !modes.isEmpty { report(.unserved(modes)) }
    }

    /// Surveys the site until `end`: phones that connect over Bluetooth LE are measured, and not served. The door, NFC,
    /// operators and the links that are up do not change.
    public mutating func survey(until end: Instant) { surveyEnds = end }

    /// The maximum time of a link in a survey: seven windows of the default gate. Then the phone may connect again, as
    /// it does at a door.
    static let surveyedTime = Duration.seconds(3)

    /// The end of the survey if there is one at `now`, in which new links are measured and not served.
    func surveyEnd(at now: Instant) -> Instant? { surveyEnds.flatMap { now < $0 ? $0 : nil } }

    /// The state of a mode, by its advertising set.
    func state(ofSet set: UInt8) -> ModeState {
        guard advertising.onAir.contains(set) else {
            return advertising.refusals.contains { $0.set == set } ? .refused : .offAir
        }
        guard let gate = configuration.mode(ofSet: set)?.gate else { return .onAir }
        if !links.readsRSSI || links.rssi.isUnusable { return .withoutRSSI }
        return gate.maximumPathLoss != nil && !links.tellsTransmitPower ? .withoutPower : .onAir
    }

    /// The repeated refusals of the advertising of modes.
    public var refusedModes: [(mode: AdvertisingMode, refusal: AdvertisingRefusal)] {
        advertising.refusals.compactMap { refusal in
            guard refusal.isRepeated, let mode = configuration.mode(ofSet: refusal.set) else { return nil }
            return (mode.mode, refusal)
        }
    }

    /// True if the controller's RSSI readings are not usable.
    public var isRSSIUnusable: Bool { links.rssi.isUnusable }

    /// False if the controller cannot read RSSI; true until it has reported its commands.
    public var readsRSSI: Bool { links.readsRSSI }

    /// True if gates limit the path loss and the controller cannot read the transmit power of phones: their links are
    /// refused.
    public var lacksTransmitPower: Bool { configuration.limitsPathLoss && !links.tellsTransmitPower }

    /// The number of links that hold a slot: all but the closing ones.
    public var servedLinks: Int { links.served }

    /// True if any link is up, including closing ones.
    public var hasLinks: Bool { links.hasLinks }

    /// True while a phone whose request was served is connected, or touches. Other links do not count: a stranger can
    /// hold one at any time.
    public var isServing: Bool { links.hasServed || card.link?.wasServed == true }

    private mutating func controllerReady<Port: ReaderPort & ~Copyable>(
        _ controller: ControllerDescription, port: inout Port, at now: Instant
    ) {
        report(.controllerReady(controller))
        links.readsRSSI = controller.readsRSSI
        links.tellsTransmitPower = controller.tellsTransmitPower
        if !controller.readsRSSI, configuration.modes.contains(where: { $0.gate != nil }) { report(.rssiUnavailable) }
        links.forgetAdvertising()
        links.updateAdvertising(port: &port, at: now, into: &effects)
        reportAdvertising()
    }

    /// Advertises, or not, as the slots require.
    mutating func updateAdvertising<Port: ReaderPort & ~Copyable>(port: inout Port, at now: Instant) {
        links.updateAdvertising(port: &port, at: now, into: &effects)
    }

    private mutating func controllerFailed(_ fault: ControllerFault) {
        // The host has reported the end of each link before; the door continues.
        report(.controllerFailed(fault))
        links.forgetAdvertising()
        // The next controller may be another one.
        if fault == .transportLost { links.rssi = RSSIWatch() }
    }

    private mutating func advertisingChanged(_ status: AdvertisingStatus) {
        advertising = status
        guard !isShuttingDown else { return }
        reportAdvertising()
        let refused = refusedModes
        for (_, refusal) in refused where !reportedRefusals.contains(where: { $0.isOfSameCause(as: refusal) }) {
            let modes = refused.filter { $0.refusal.isOfSameCause(as: refusal) }.map(\.mode)
            report(.advertisingRefused(modes, refusal))
            reportedRefusals.append(refusal)
        }
        reportedRefusals.removeAll { old in !refused.contains { $0.refusal.isOfSameCause(as: old) } }
    }
}

extension AccessReader {
    /// Reports the state of advertising, if it has changed.
    private mutating func reportAdvertising() {
        let isOn = advertising.onAir.contains { configuration.mode(ofSet: $0) != nil }
        let state: AdvertisingState = isOn ? .on : links.advertises == false ? .slotsTaken : .off
        guard state != reportedAdvertising else { return }
        reportedAdvertising = state
        report(.advertising(state))
    }
}

extension AdvertisingRefusal {
    /// True if the same command was refused with the same status, whatever the set.
    fileprivate func isOfSameCause(as other: AdvertisingRefusal) -> Bool {
        opcode == other.opcode && status == other.status
    }
}
