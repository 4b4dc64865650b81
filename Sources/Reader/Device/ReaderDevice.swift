public import AccessProtocol
public import Crypto
public import Peripheral
public import Timekeeping

/// A whole reader between a controller and a door: the host and what runs on it, joined, still a value without I/O.
///
/// The shell hands in the controller's packets and the time, sends what `popPacket` gives, moves the lines that
/// `takeDoorActions` names, tells what `nextNotice` says, and calls `advance` at `nextDeadline`. `readerd` does that
/// on a reactor, the lab on a virtual clock, with the same code in between.
public struct ReaderDevice<Random: RandomSource>: ~Copyable {
    var host: Host
    var reader: AccessReader
    var random: Random
    private(set) var configuration: AccessConfiguration
    private let table: AccessTable
    private let packets: AdvertisingPackets
    private var record: ManufacturerRecord
    /// When the record is compared with the clock again.
    private var recordDue: Instant
    /// Another device on the same radio, if there is one.
    private let companion: (any CompanionDevice)?
    /// What that one advertises.
    private var companionSet: AdvertisingSet?

    /// A reader with this configuration and identity; nothing happens before `start`.
    public init(
        configuration: AccessConfiguration, identity: ReaderIdentity, door: DoorConfiguration, random: Random,
        companion: (any CompanionDevice)? = nil, at moment: Moment
    ) throws(DatabaseError) {
        self.companion = companion
        self.configuration = configuration
        self.random = random
        recordDue = configuration.nextLookAtClock(moment)
        packets = AdvertisingPackets(
            deviceIdentifier: Array(identity.deviceID.utf8), identifiers: configuration.identifiers)
        record = ManufacturerRecord(
            isFactory: identity.isDemo,
            applicationVersion: UInt16(truncatingIfNeeded: configuration.version.version),
            localMidnight: configuration.localMidnight(moment))
        record.companyIdentifier = configuration.identifiers.company
        table = try AccessTable(
            deviceName: identity.deviceID, modes: configuration.modes.map(\.mode),
            identifiers: configuration.identifiers, record: record)
        // The first device, to which a link leads whose advertising set is not known, and which does not pair.
        let own = ServedDevice(database: table.database)
        host = Host(
            devices: [own] + [companion?.served].compactMap(\.self), configuration: configuration.host,
            security: companion?.security)
        reader = AccessReader(configuration: configuration, identity: identity, table: table, door: door)
        host.configure(advertising: configuration.advertisingSets(packets, record))
    }

    /// Secures the door and sets its outputs. First of all, whether or not there is a controller.
    public mutating func startDoor(at moment: Moment) {
        reader.startDoor(at: moment.instant)
    }

    /// The transport to the controller is open.
    public mutating func start(at moment: Moment) {
        host.start(at: moment.instant)
        takeEvents(at: moment)
    }

    /// The transport is gone. The door goes on.
    public mutating func transportLost(at moment: Moment) {
        host.transportLost(at: moment.instant)
        takeEvents(at: moment)
    }

    /// Takes one H4 packet of the controller, with its type octet.
    public mutating func receive(_ packet: Span<UInt8>, at moment: Moment) {
        host.receive(packet, at: moment.instant)
        takeEvents(at: moment)
    }

    /// Does what is due at `moment`.
    public mutating func advance(to moment: Moment) {
        refreshRecord(at: moment)
        host.advance(to: moment.instant)
        takeEvents(at: moment)
        reader.advance(to: moment, port: &host)
        takeEvents(at: moment)
        advanceCompanion(at: moment)
    }

    /// Has the companion do what is due, or what other inputs than the host's have brought about.
    public mutating func advanceCompanion(at moment: Moment) {
        guard let companion else { return }
        companion.advance(&host, to: moment.instant)
        takeEvents(at: moment)
        followCompanion(at: moment)
    }

    /// Advertises what the companion wants advertised now.
    private mutating func followCompanion(at moment: Moment) {
        guard let companion, companion.advertisingSet != companionSet else { return }
        companionSet = companion.advertisingSet
        configureAdvertising(at: moment)
    }

    private mutating func configureAdvertising(at moment: Moment) {
        let sets = configuration.advertisingSets(packets, record) + [companionSet].compactMap(\.self)
        host.configure(advertising: sets, at: moment.instant)
    }

    /// Stops serving: ends all links, secures the door by taking its current.
    public mutating func shutDown(at moment: Moment) {
        reader.shutDown(port: &host, at: moment.instant)
        companion?.shutDown(&host, at: moment.instant)
        takeEvents(at: moment)
    }

    /// Whether nothing is left to do after `shutDown`: no link is up, closing ones included, and the controller has
    /// answered all commands, of which the last ended advertising.
    public var isQuiet: Bool { !hasLinks && host.nextDeadline == nil }

    /// Whether any link is up, closing ones included.
    public var hasLinks: Bool { reader.hasLinks || companion?.hasLinks == true }

    /// When `advance` is to be called next; there is always such a time, since the clock is watched.
    public var nextDeadline: Instant? {
        var earliest = recordDue
        if let deadline = host.nextDeadline { earliest = min(earliest, deadline) }
        if let deadline = reader.nextDeadline { earliest = min(earliest, deadline) }
        if let deadline = companion?.nextDeadline { earliest = min(earliest, deadline) }
        return earliest
    }

    /// Puts the next packet for the controller into `packet`; false if there is none.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        host.outbound.popFirst(into: &packet)
    }

    /// The oldest thing that happened and was not told yet.
    public mutating func nextNotice() -> ReaderNotice? {
        reader.nextNotice()
    }

    /// Replaces `events` by what is to be recorded, in order; handed out once. The reader goes on with the memory that
    /// `events` had, so that whoever calls this with the same array allocates nothing.
    public mutating func takeAuditEvents(into events: inout [AuditEvent]) {
        events.removeAll(keepingCapacity: true)
        swap(&events, &reader.auditEvents)
    }

    /// Replaces `requests`, as `takeAuditEvents` does, by who is to be let in once that is recorded. Each waits for
    /// `decideOpening`.
    public mutating func takeOpenRequests(into requests: inout [OpenRequest]) {
        requests.removeAll(keepingCapacity: true)
        swap(&requests, &reader.openRequests)
    }

    /// Answers an open request: with `ok` the door opens, with any other status the phone is refused.
    public mutating func decideOpening(_ token: OpeningToken, _ status: StatusCode, at moment: Moment) {
        reader.decideOpening(token, status, port: &host, at: moment)
        takeEvents(at: moment)
    }

    /// The half of `decideOpening` that somebody waits for at the door: what it asks of the lock is in
    /// `takeDoorActions`. `answerOpenings` is to follow before any other input.
    public mutating func openDoor(_ token: OpeningToken, _ status: StatusCode, at moment: Moment) {
        reader.openDoor(token, status, at: moment)
    }

    /// Tells the phones whose openings `openDoor` has decided.
    public mutating func answerOpenings(at moment: Moment) {
        reader.answerOpenings(port: &host, at: moment)
        takeEvents(at: moment)
    }

    /// What is asked of whoever keeps the log, the blacklist and the settings, in order; handed out once. Each with a
    /// number waits for `answerStorage`.
    public mutating func takeStorageRequests() -> [StorageRequest] {
        guard !reader.storageRequests.isEmpty else { return [] }
        defer { reader.storageRequests.removeAll(keepingCapacity: true) }
        return reader.storageRequests
    }

    /// Answers a storage request.
    public mutating func answerStorage(_ id: CommandID, _ answer: StorageAnswer, at moment: Moment) {
        reader.answerStorage(id, answer, port: &host, at: moment)
        takeEvents(at: moment)
        follow(at: moment)
    }

    /// What is known of the platform's updater from now on.
    public mutating func setUpdater(_ state: UpdaterState) { reader.updater = state }

    /// Who is to get an update, in order; handed out once.
    public mutating func takeUpdateRequests() -> [UpdateRequest] {
        guard !reader.updateRequests.isEmpty else { return [] }
        defer { reader.updateRequests.removeAll(keepingCapacity: true) }
        return reader.updateRequests
    }

    /// Takes over the configuration that was pushed in an earlier run. Throws −34 for one of another site or door.
    public mutating func adopt(_ pushed: PushedConfiguration, at moment: Moment) throws(StatusCode) {
        try reader.adopt(pushed)
        follow(at: moment)
    }

    /// The zone of the local time, which a pushed configuration may have changed.
    public var zone: TimeZoneRule { configuration.zone }

    /// Advertises as the configuration says now.
    private mutating func follow(at moment: Moment) {
        guard reader.configuration != configuration else { return }
        configuration = reader.configuration
        recordDue = moment.instant
        configureAdvertising(at: moment)
    }

    /// Decides about nothing until `restore`: before that nobody knows who is called back.
    public mutating func awaitRestoration() { reader.awaitRestoration() }

    /// Puts in what was kept of the blacklist; how many entries found no room.
    public mutating func restore(_ rows: [BlacklistRow], at moment: Moment) -> Int {
        reader.restore(rows, at: moment)
    }

    /// What the stored blacklist is to hold.
    public var blacklistRows: [BlacklistRow] { reader.blacklist.rows }

    /// The events that a phone may take along with the result of an OSS credential, oldest first.
    public mutating func setEventsToCarry(_ events: [Event]) {
        // Into memory of its own: whoever keeps the list appends to it with the next record.
        reader.eventsToCarry.removeAll(keepingCapacity: true)
        reader.eventsToCarry.append(contentsOf: events)
    }

    /// Replaces `actions`, as `takeAuditEvents` does, by what the door's lines are to do, in order.
    public mutating func takeDoorActions(into actions: inout [DoorAction]) {
        actions.removeAll(keepingCapacity: true)
        swap(&actions, &reader.doorActions)
    }

    /// The line of an input has had this level since `edge`: of a real line or a simulated one.
    public mutating func doorLine(_ input: DoorInput, isActive: Bool, since edge: Instant, at moment: Moment) {
        reader.doorLine(input, isActive: isActive, since: edge, at: moment)
    }

    /// The level of an input's line is not known any more; nothing opens for that.
    public mutating func doorLineLost(_ input: DoorInput, at moment: Moment) {
        reader.doorLineLost(input, at: moment)
    }

    /// An output of the door could not be set; the door sets it again a little later.
    public mutating func doorOutputFailed(_ output: DoorOutput, at now: Instant) {
        reader.doorOutputFailed(output, at: now)
    }

    mutating func takeEvents(at moment: Moment) {
        while let event = host.nextEvent() {
            if let companion, companion.take(event, &host, at: moment.instant) { continue }
            reader.receive(event, port: &host, random: &random, at: moment)
            if case .ready = event { reader.unserved(unservedModes) }
        }
        followCompanion(at: moment)
    }

    private var unservedModes: [AdvertisingMode] {
        host.unservedAdvertisingSets.compactMap { configuration.mode(ofSet: $0)?.mode }
    }

    /// The record carries the last local midnight, by which phones see the reader's clock: it changes once a day, and
    /// when the clock is set.
    private mutating func refreshRecord(at moment: Moment) {
        recordDue = configuration.nextLookAtClock(moment)
        let midnight = configuration.localMidnight(moment)
        guard midnight != record.localMidnight else { return }
        record.localMidnight = midnight
        let octets = record.octets
        for service in table.services {
            // The table was made with a record of this length: it fits.
            try? host.setValue(octets.span, of: service.manufacturer)
        }
        configureAdvertising(at: moment)
    }
}

extension AccessConfiguration {
    /// Room for every connection that a controller may hold. A phone that is out of range keeps its connection until
    /// its supervision time-out, up to 32 s, so a smaller table would let a few of them shut out the others while
    /// the reader has free slots.
    private static var connections: Int { 64 }

    /// What the host needs to know.
    var host: HostConfiguration {
        var host = HostConfiguration()
        host.links = AccessConfiguration.connections
        return host
    }

    /// A set for each mode, numbered in their order.
    public func advertisingSets(_ packets: AdvertisingPackets, _ record: ManufacturerRecord) -> [AdvertisingSet] {
        modes.enumerated().map { number, mode in
            AdvertisingSet(
                id: UInt8(truncatingIfNeeded: number), address: mode.address,
                data: packets.advertisingData(mode.mode), scanResponse: packets.scanResponse(record),
                interval: advertisingInterval)
        }
    }
}
