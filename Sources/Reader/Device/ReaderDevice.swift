// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Credentials
public import Crypto
public import Peripheral
public import Timekeeping

/// A whole reader between a controller and a door: the host and the devices on it, as a value without I/O.
///
/// The shell passes in the controller's packets and the time, sends the packets of `sendPackets` or `popPacket`,
/// carries out the effects of `reader.takeEffects`, and calls `advance` at `nextDeadline`: `readerd` on a reactor, the
/// lab on a virtual clock.
public struct ReaderDevice<Random: RandomSource>: ~Copyable {
    var host: Host
    /// The reader on the host.
    public var reader: AccessReader
    var random: Random
    private var configuration: AccessConfiguration
    private var table: AccessTable
    private let deviceID: String
    private var packets: AdvertisingPackets
    private var record: ManufacturerRecord
    /// The time of the next comparison of the record with the clock.
    private var recordDue: Instant
    /// The other devices on the same radio.
    private let companions: [any CompanionDevice]
    /// The companions' advertising.
    private var companionSets: [AdvertisingSet] = []

    /// A reader with this configuration and identity; nothing happens before `start`.
    public init(
        configuration: AccessConfiguration, identity: ReaderIdentity, door: DoorConfiguration, random: Random,
        companions: [any CompanionDevice] = [], at moment: Moment
    ) throws(DatabaseError) {
        self.companions = companions
        self.configuration = configuration
        self.random = random
        deviceID = identity.deviceID
        recordDue = configuration.nextClockCheck(moment)
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
        // The first device gets the links whose advertising set is not known. It does not pair.
        let own = ServedDevice(database: table.database)
        var hosting = configuration.host
        hosting.channelServices = table.channels
        host = Host(
            devices: [own] + companions.map(\.served), configuration: hosting,
            security: companions.lazy.compactMap(\.security).first)
        packets.aliroExpiry = AliroAdvertisement.expiry(at: moment.epochSeconds)
        reader = AccessReader(configuration: configuration, identity: identity, table: table, door: door)
        host.configure(advertising: configuration.advertisingSets(packets, record))
    }

    /// Starts the host, once the transport to the controller is open.
    public mutating func start(at moment: Moment) {
        host.start(at: moment.instant)
        takeEvents(at: moment)
    }

    /// Handles the loss of the transport. The door continues.
    public mutating func transportLost(at moment: Moment) {
        host.transportLost(at: moment.instant)
        takeEvents(at: moment)
    }

    /// Handles one H4 packet of the controller, with its type octet.
    public mutating func receive(_ packet: Span<UInt8>, at moment: Moment) {
        host.receive(packet, at: moment.instant)
        takeEvents(at: moment)
    }

    /// Handles the deadlines reached at `moment`.
    public mutating func advance(to moment: Moment) {
        refreshRecord(at: moment)
        refreshAliro(at: moment)
        host.advance(to: moment.instant)
        takeEvents(at: moment)
        reader.advance(to: moment, port: &host)
        takeEvents(at: moment)
        advanceCompanions(at: moment)
    }

    /// Handles the companions' deadlines, and the consequences for them of inputs other than the host's.
    public mutating func advanceCompanions(at moment: Moment) {
        guard !companions.isEmpty else { return }
        for companion in companions { companion.advance(&host, to: moment.instant) }
        takeEvents(at: moment)
        followCompanions(at: moment)
    }

    /// Follows changes of the companions' advertising.
    private mutating func followCompanions(at moment: Moment) {
        guard !companions.isEmpty else { return }
        let sets = companions.compactMap(\.advertisingSet)
        guard sets != companionSets else { return }
        companionSets = sets
        configureAdvertising(at: moment)
    }

    private mutating func configureAdvertising(at moment: Moment) {
        let sets = configuration.advertisingSets(packets, record) + companionSets
        host.configure(advertising: sets, at: moment.instant)
    }

    /// Stops serving: ends all links, and secures the door by removing its current.
    public mutating func shutDown(at moment: Moment) {
        reader.shutDown(port: &host, at: moment.instant)
        for companion in companions { companion.shutDown(&host, at: moment.instant) }
        takeEvents(at: moment)
    }

    /// True if `shutDown` is complete: no link is up, closing ones included, and the controller has answered all
    /// commands, the last of which ended advertising.
    public var isQuiet: Bool { !hasLinks && host.nextDeadline == nil }

    /// True if any link is up, including closing ones.
    public var hasLinks: Bool { reader.hasLinks || companions.contains { $0.hasLinks } }

    /// True while a link is in use. Every link of a companion counts: it needs a window that an operator has opened.
    var isServing: Bool { reader.isServing || companions.contains { $0.hasLinks } }

    /// True if the reader can be restarted unnoticed: no phone is served, no opening waits, the door is closed and
    /// secured.
    public var isAtRest: Bool {
        let door = reader.doorStatus
        return !isServing && !reader.ledger.hasOpenings && !door.isUnlocked && !door.standsOpen
    }

    /// Shows the parts that the board lacks by the red light and by the name that phones see; an empty set ends both
    /// signs.
    public mutating func lacks(_ missing: MissingParts, at moment: Moment) {
        reader.lacks(missing, at: moment)
        let before = packets.name
        packets.rename(missing.name.map { Array($0.utf8) })
        let name = packets.name
        guard name != before else { return }
        // Any name fits: the attribute has room for the longest that the specification allows.
        try? host.setValue(name.span, of: table.deviceName)
        configureAdvertising(at: moment)
    }

    /// The next time at which `advance` has work. Never nil, because the clock is checked regularly.
    public var nextDeadline: Instant? {
        // Another reader of Aliro is advertised at once.
        if packets.aliro != reader.aliroDoor?.advertisement { return .origin }
        var earliest = recordDue
        if let deadline = host.nextDeadline { earliest = min(earliest, deadline) }
        if let deadline = reader.nextDeadline { earliest = min(earliest, deadline) }
        for companion in companions {
            if let deadline = companion.nextDeadline { earliest = min(earliest, deadline) }
        }
        return earliest
    }

    /// Moves the next packet for the controller into `packet`; false if no packet waits.
    public mutating func popPacket(into packet: inout [UInt8]) -> Bool {
        host.outbound.popFirst(into: &packet)
    }

    /// Calls `send` with each packet for the controller, in order, and removes them all.
    public mutating func sendPackets(_ send: (Span<UInt8>) -> Void) { host.outbound.sendAll(send) }

    /// Sends the answers to decided openings.
    public mutating func answerOpenings(at moment: Moment) {
        reader.answerOpenings(port: &host, at: moment)
        takeEvents(at: moment)
    }

    /// Continues with the requests that have waited for the policy.
    public mutating func resumeRequests(at moment: Moment) {
        reader.resumeRequests(port: &host, random: &random, at: moment)
        takeEvents(at: moment)
        follow(at: moment)
    }

    /// Answers a command that waited for the event store.
    public mutating func answerStorage(_ id: CommandID, _ answer: StorageAnswer, at moment: Moment) {
        reader.answerStorage(id, answer, port: &host, at: moment)
        takeEvents(at: moment)
        follow(at: moment)
    }

    /// Changes what can change while the reader runs (`AccessReader.reconfigure`). Other modes or identifiers are
    /// advertised at once; phones that are connected are disconnected then, because the services change. The door
    /// continues.
    ///
    /// - Throws: `DatabaseError` if there is no table for the modes; nothing changes then.
    public mutating func reconfigure(
        _ next: AccessConfiguration, door: DoorConfiguration, at moment: Moment
    ) throws(DatabaseError) {
        let changesAir =
            next.modes.map(\.mode) != configuration.modes.map(\.mode) || next.identifiers != configuration.identifiers
        if changesAir { try replaceAir(next, at: moment) }
        reader.reconfigure(next, door: door)
        // Also if nothing but the packets has changed.
        follow(at: moment)
        guard changesAir else { return }
        reader.updateAdvertising(port: &host, at: moment.instant)
        reader.unserved(unservedModes)
        takeEvents(at: moment)
    }

    private mutating func replaceAir(_ next: AccessConfiguration, at moment: Moment) throws(DatabaseError) {
        var record = record
        record.companyIdentifier = next.identifiers.company
        let former = packets
        let table = try AccessTable(
            deviceName: deviceID, modes: next.modes.map(\.mode), identifiers: next.identifiers, record: record)
        self.table = table
        self.record = record
        packets = AdvertisingPackets(deviceIdentifier: Array(deviceID.utf8), identifiers: next.identifiers)
        packets.rename(former.name)
        (packets.aliro, packets.aliroExpiry) = (former.aliro, former.aliroExpiry)
        reader.replace(table, port: &host, at: moment.instant)
        takeEvents(at: moment)
        host.replaceDatabase(ofDevice: 0, with: table.database, at: moment.instant)
        host.replaceChannelServices(with: table.channels)
        // The name that phones see may show the missing parts. It fits, as in `lacks`.
        try? host.setValue(former.name.span, of: table.deviceName)
        // Sets of the old modes must not remain under the numbers of the new ones.
        host.configure(advertising: companionSets, at: moment.instant)
        takeEvents(at: moment)
    }

    /// Adopts the configuration that was pushed in an earlier run.
    ///
    /// - Throws: −34 for another site or door.
    public mutating func adopt(_ pushed: PushedConfiguration, at moment: Moment) throws(StatusCode) {
        try reader.adopt(pushed)
        follow(at: moment)
    }

    /// Takes these settings, and no others, from a configuration and a door's.
    public mutating func adopt(
        _ settings: Set<PushedSetting>, of configuration: AccessConfiguration, door: DoorConfiguration,
        at moment: Moment
    ) {
        reader.adopt(settings, of: configuration, door: door)
        follow(at: moment)
    }

    /// Follows changes of the configuration.
    private mutating func follow(at moment: Moment) {
        guard reader.configuration != configuration else { return }
        configuration = reader.configuration
        recordDue = moment.instant
        configureAdvertising(at: moment)
    }

    mutating func takeEvents(at moment: Moment) {
        while let event = host.nextEvent() {
            if offer(event, at: moment.instant) { continue }
            reader.receive(event, port: &host, random: &random, at: moment)
            if case .ready = event { reader.unserved(unservedModes) }
        }
        followCompanions(at: moment)
    }

    /// Offers an event to the companions; false if it belongs to none of them.
    private mutating func offer(_ event: HostEvent, at now: Instant) -> Bool {
        for companion in companions where companion.receive(event, &host, at: now) { return true }
        return false
    }

    private var unservedModes: [AdvertisingMode] {
        host.unservedAdvertisingSets.compactMap { configuration.mode(ofSet: $0)?.mode }
    }

    /// The state of each mode, in the order of the configuration.
    public var modes: [(mode: AdvertisingMode, state: ModeState)] {
        let unserved = host.unservedAdvertisingSets
        return configuration.modes.enumerated().map { number, mode in
            let set = UInt8(truncatingIfNeeded: number)
            let hasPacket = mode.mode != .aliro || packets.aliro != nil
            return (mode.mode, unserved.contains(set) || !hasPacket ? .unserved : reader.state(ofSet: set))
        }
    }

    /// Updates the manufacturer record, which contains the last local midnight: it changes once a day, and when the
    /// clock is set.
    private mutating func refreshRecord(at moment: Moment) {
        recordDue = configuration.nextClockCheck(moment)
        let midnight = configuration.localMidnight(moment)
        guard midnight != record.localMidnight else { return }
        record.localMidnight = midnight
        let octets = record.octets
        for service in table.services {
            // The record fits, because the table was built with a record of this length.
            try? host.setValue(octets.span, of: service.manufacturer)
        }
        configureAdvertising(at: moment)
    }
}

extension ReaderDevice {
    /// Follows the reader of Aliro and the clock: its tag is renewed.
    private mutating func refreshAliro(at moment: Moment) {
        let advertisement = reader.aliroDoor?.advertisement
        let expiry = AliroAdvertisement.expiry(at: moment.epochSeconds)
        guard packets.aliro != advertisement || packets.aliroExpiry != expiry else { return }
        (packets.aliro, packets.aliroExpiry) = (advertisement, expiry)
        guard configuration.modes.contains(where: { $0.mode == .aliro }) else { return }
        configureAdvertising(at: moment)
    }
}

extension AccessConfiguration {
    /// The host's links: room for every connection of a controller. A phone out of range keeps its connection until its
    /// supervision time-out, up to 32 s, so with a smaller table a few of them would exclude others while the reader
    /// has free slots.
    private static var connections: Int { 64 }

    /// The host's configuration.
    var host: HostConfiguration {
        var host = HostConfiguration()
        host.links = AccessConfiguration.connections
        return host
    }

    /// An advertising set for each mode that has a packet, numbered in the order of the modes.
    public func advertisingSets(_ packets: AdvertisingPackets, _ record: ManufacturerRecord) -> [AdvertisingSet] {
        modes.enumerated().compactMap { number, mode in
            let data = packets.advertisingData(mode.mode, from: mode.address)
            guard !data.isEmpty else { return nil }
            return AdvertisingSet(
                id: UInt8(truncatingIfNeeded: number), address: mode.address, data: data,
                scanResponse: packets.scanResponse(record, of: mode.mode), interval: advertisingInterval)
        }
    }
}
