public import Crypto
public import Timekeeping
public import WiFiProvisioning

/// The sender or recipient of a packet.
public struct MDNSPeer: Hashable, Sendable {
    /// The port of multicast DNS (RFC 6762, 3).
    public static let port: UInt16 = 5353

    /// The address.
    public var address: IPv4Address
    /// The port; any other than 5353 belongs to a plain DNS resolver (RFC 6762, 6.7).
    public var port: UInt16

    /// A peer.
    public init(address: IPv4Address, port: UInt16 = MDNSPeer.port) {
        self.address = address
        self.port = port
    }

    /// The multicast group (RFC 6762, 3).
    public static var everybody: MDNSPeer { MDNSPeer(address: IPv4Address(224, 0, 0, 251)) }
}

/// A packet to send.
public struct MDNSPacket: Equatable, Sendable {
    /// Its octets.
    public var octets: [UInt8]
    /// The recipient.
    public var peer: MDNSPeer
}

/// An event of a responder.
public enum MDNSEvent: Equatable, Sendable {
    /// Probing succeeded, and announcing has begun.
    case announced
    /// Another host owns one of the names; the responder is silent.
    case conflict(DNSName)
}

/// A multicast DNS responder for one service (RFC 6762, RFC 6763), IPv4 only.
///
/// It is a value: packets and time go in; packets and events come out. It probes, announces, responds and says
/// goodbye. On a conflict it does not choose another name: the apps look for this one, so the user has to be
/// informed.
public struct MDNSResponder: Sendable {
    /// The interval between probes, and between the last of three and the announcement (RFC 6762, 8.1).
    static let betweenProbes = Duration.milliseconds(250)
    /// The pause after losing to a simultaneous probe (RFC 6762, 8.2).
    static let afterLosing = Duration.seconds(1)
    /// The interval between announcements (RFC 6762, 8.3), and between two multicasts of a record (6).
    static let betweenAnnouncements = Duration.seconds(1)
    /// The maximum number of queued packets: more than a network of phones causes, few enough that a flood costs
    /// nothing.
    static let maximumPending = 16

    enum State: Equatable, Sendable {
        case idle
        case probing(sent: Int, next: Instant)
        case announcing(sent: Int, next: Instant)
        case running
        case conflicted
    }

    struct Pending: Sendable {
        var due: Instant
        var records: MDNSRecords
        /// The querier, whose known answers may follow in further packets.
        var asker: MDNSPeer
    }

    let service: MDNSService
    let table: MDNSTable
    var state = State.idle
    var pending: [Pending] = []
    var lastTold: [MDNSRecords: Instant] = [:]
    private var packets: [MDNSPacket] = []
    private var events: [MDNSEvent] = []

    /// An inactive responder; nil if a name or a string of the service is too long.
    public init?(_ service: MDNSService) {
        guard let table = MDNSTable(service) else { return nil }
        self.service = service
        self.table = table
    }

    /// Starts probing after a random delay of up to 250 ms (RFC 6762, 8.1).
    public mutating func begin(at now: Instant, _ random: inout some RandomSource) {
        state = .probing(sent: 0, next: now + random.milliseconds(upTo: 250))
        pending.removeAll()
        lastTold.removeAll()
    }

    /// Withdraws the announced records (RFC 6762, 10.1), and becomes silent.
    public mutating func end() {
        switch state {
        case .announcing, .running:
            var message = DNSMessage(flags: DNSMessage.answer)
            message.answers = table[.announced].map { record in
                var record = record
                record.lifetime = 0
                return record
            }
            send(message, to: .everybody)
        case .idle, .probing, .conflicted: break
        }
        silence()
    }

    /// Becomes silent without a goodbye, like a host that loses power.
    public mutating func silence() {
        state = .idle
        pending.removeAll()
    }

    /// The time of the next call of `advance` if no packet arrives; nil for none.
    public var deadline: Instant? {
        let next: Instant? =
            switch state {
            case .probing(_, let next), .announcing(_, let next): next
            case .idle, .running, .conflicted: nil
            }
        return Instant.earlier(next, pending.map(\.due).min())
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        switch state {
        case .probing(let sent, let next) where next <= now: probe(sent, at: now)
        case .announcing(let sent, let next) where next <= now: announce(sent, at: now)
        default: break
        }
        let due = pending.filter { $0.due <= now }.reduce(into: MDNSRecords()) { $0.formUnion($1.records) }
        pending.removeAll { $0.due <= now }
        if !due.isEmpty { tell(due, at: now) }
    }

    /// Removes and returns the next packet to send; nil if there is none.
    public mutating func nextPacket() -> MDNSPacket? { packets.isEmpty ? nil : packets.removeFirst() }

    /// Removes and returns the next event; nil if there is none.
    public mutating func nextEvent() -> MDNSEvent? { events.isEmpty ? nil : events.removeFirst() }

    // MARK: - Sending

    mutating func send(_ message: DNSMessage, to peer: MDNSPeer) {
        // The oldest packets are kept if the caller does not take them.
        guard packets.count < MDNSResponder.maximumPending else { return }
        packets.append(MDNSPacket(octets: message.octets, peer: peer))
    }

    /// Multicasts records.
    private mutating func tell(_ records: MDNSRecords, at now: Instant) {
        send(answer(records), to: .everybody)
        for part in records.parts { lastTold[part] = now }
    }

    func answer(_ records: MDNSRecords) -> DNSMessage {
        var message = DNSMessage(flags: DNSMessage.answer)
        message.answers = table[records]
        message.additionals = table[table.additional(to: records)]
        return message
    }

    private mutating func probe(_ sent: Int, at now: Instant) {
        guard sent < 3 else {
            events.append(.announced)
            return announce(0, at: now)
        }
        var message = DNSMessage()
        message.questions = [table.instance, table.host].map { DNSQuestion($0, .any, wantsUnicast: true) }
        // The cache-flush bit is for responses only (RFC 6762, 10.2).
        message.authorities = table[.unique].map { record in
            var record = record
            record.flushesCache = false
            return record
        }
        send(message, to: .everybody)
        state = .probing(sent: sent + 1, next: now + MDNSResponder.betweenProbes)
    }

    private mutating func announce(_ sent: Int, at now: Instant) {
        tell(.announced, at: now)
        state = sent == 0 ? .announcing(sent: 1, next: now + MDNSResponder.betweenAnnouncements) : .running
    }

    /// Gives up a name that another host owns.
    mutating func yield(_ name: DNSName) {
        silence()
        state = .conflicted
        events.append(.conflict(name))
    }
}

extension RandomSource {
    /// A random duration from `least` to `most` milliseconds, sufficiently uniform for its purpose.
    mutating func milliseconds(from least: Int = 0, upTo most: Int) -> Duration {
        var octets: [UInt8] = [0, 0]
        var span = octets.mutableSpan
        fill(&span)
        let number = Int(octets[0]) << 8 | Int(octets[1])
        return .milliseconds(least + number % (most - least + 1))
    }
}
