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
    private var host: Host
    var reader: AccessReader
    private var random: Random
    let configuration: AccessConfiguration
    private let table: AccessTable
    private let packets: AdvertisingPackets
    private var record: ManufacturerRecord
    /// When the record is compared with the clock again.
    private var recordDue: Instant

    /// A reader with this configuration and identity; nothing happens before `start`.
    public init(
        configuration: AccessConfiguration, identity: ReaderIdentity, door: DoorConfiguration, random: Random,
        at moment: Moment
    ) throws(DatabaseError) {
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
        host = Host(database: table.database, configuration: configuration.host)
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
    }

    /// Stops serving: ends all links, secures the door by taking its current.
    public mutating func shutDown(at moment: Moment) {
        reader.shutDown(port: &host, at: moment.instant)
        takeEvents(at: moment)
    }

    /// Whether nothing is left to do after `shutDown`: no link is up, closing ones included, and the controller has
    /// answered all commands, of which the last ended advertising.
    public var isQuiet: Bool { !hasLinks && host.nextDeadline == nil }

    /// Whether any link is up, closing ones included.
    public var hasLinks: Bool { reader.hasLinks }

    /// When `advance` is to be called next; there is always such a time, since the clock is watched.
    public var nextDeadline: Instant? {
        var earliest = recordDue
        if let deadline = host.nextDeadline { earliest = min(earliest, deadline) }
        if let deadline = reader.nextDeadline { earliest = min(earliest, deadline) }
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

    /// What is to be recorded, in order; handed out once.
    public mutating func takeAuditEvents() -> [AuditEvent] {
        guard !reader.auditEvents.isEmpty else { return [] }
        defer { reader.auditEvents.removeAll(keepingCapacity: true) }
        return reader.auditEvents
    }

    /// Who is to be let in once that is recorded, in order; handed out once. Each waits for `decideOpening`.
    public mutating func takeOpenRequests() -> [OpenRequest] {
        guard !reader.openRequests.isEmpty else { return [] }
        defer { reader.openRequests.removeAll(keepingCapacity: true) }
        return reader.openRequests
    }

    /// Answers an open request: with `ok` the door opens, with any other status the phone is refused.
    public mutating func decideOpening(_ id: UInt64, _ status: StatusCode, at moment: Moment) {
        reader.decideOpening(id, status, port: &host, at: moment)
        takeEvents(at: moment)
    }

    /// What the door's lines are to do, in order; handed out once.
    public mutating func takeDoorActions() -> [DoorAction] {
        guard !reader.doorActions.isEmpty else { return [] }
        defer { reader.doorActions.removeAll(keepingCapacity: true) }
        return reader.doorActions
    }

    /// An output of the door could not be set; the door sets it again a little later.
    public mutating func doorOutputFailed(_ output: DoorOutput, at now: Instant) {
        reader.doorOutputFailed(output, at: now)
    }

    mutating func takeEvents(at moment: Moment) {
        while let event = host.nextEvent() {
            reader.receive(event, port: &host, random: &random, at: moment)
            if case .ready = event { reader.unserved(unservedModes) }
        }
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
        host.configure(advertising: configuration.advertisingSets(packets, record), at: moment.instant)
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
    func advertisingSets(_ packets: AdvertisingPackets, _ record: ManufacturerRecord) -> [AdvertisingSet] {
        modes.enumerated().map { number, mode in
            AdvertisingSet(
                id: UInt8(truncatingIfNeeded: number), address: mode.address,
                data: packets.advertisingData(mode.mode), scanResponse: packets.scanResponse(record),
                interval: advertisingInterval)
        }
    }

    /// Seconds since 1970-01-01 UTC at the last local midnight; 0 while the clock is not set.
    func localMidnight(_ moment: Moment) -> UInt32 {
        moment.epochSeconds.map { UInt32(clamping: $0 - secondsOfDay($0)) } ?? 0
    }

    /// When the last local midnight may be another: at the next one, and each minute, since a clock can be set.
    func nextLookAtClock(_ moment: Moment) -> Instant {
        let untilMidnight = moment.epochSeconds.map { 86_400 - secondsOfDay($0) } ?? 60
        return moment.instant + .seconds(min(untilMidnight, 60))
    }

    /// How many seconds of the local day are over.
    private func secondsOfDay(_ epoch: Int64) -> Int64 {
        let rest = (epoch + Int64(utcOffsetMinutes) * 60) % 86_400
        return rest < 0 ? rest + 86_400 : rest
    }
}
