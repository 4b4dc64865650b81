public import Crypto
public import Timekeeping

/// Who sent a packet, or is to get one.
public struct MDNSPeer: Hashable, Sendable {
    /// The port of multicast DNS (RFC 6762, 3).
    public static let port: UInt16 = 5353

    /// The address.
    public var address: IPv4Address
    /// The port; another than 5353 is one that knows plain DNS only (RFC 6762, 6.7).
    public var port: UInt16

    /// A peer.
    public init(address: IPv4Address, port: UInt16 = MDNSPeer.port) {
        self.address = address
        self.port = port
    }

    /// All who listen (RFC 6762, 3).
    public static var everybody: MDNSPeer { MDNSPeer(address: IPv4Address(224, 0, 0, 251)) }
}

/// A packet to be sent.
public struct MDNSPacket: Equatable, Sendable {
    /// Its octets.
    public var octets: [UInt8]
    /// To whom.
    public var peer: MDNSPeer
}

/// What happened at a responder.
public enum MDNSEvent: Equatable, Sendable {
    /// The names are its own, and it has begun to announce them.
    case announced
    /// Another host has one of the names: it says nothing any more.
    case conflict(DNSName)
}

/// Tells a local network of one service by multicast DNS (RFC 6762, RFC 6763), IPv4 only.
///
/// It is a value: packets and time go in, packets and events are taken out. It probes, announces, answers and says
/// goodbye. It does not take another name if its own is taken: the apps look for this one, so a person has to know.
public struct MDNSResponder: Sendable {
    /// Between probes, and between the last of three and the announcement (RFC 6762, 8.1).
    static let betweenProbes = Duration.milliseconds(250)
    /// How long to stay behind who also probes and wins (RFC 6762, 8.2).
    static let afterLosing = Duration.seconds(1)
    /// Between announcements (RFC 6762, 8.3), and between two times that all are told of a record (6).
    static let betweenAnnouncements = Duration.seconds(1)
    /// How many packets may wait to be sent: more than a network of phones makes, few enough that a flood costs
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
        /// Who asked, so that what it knows already can be left out when it comes in further packets.
        var asker: MDNSPeer
    }

    let service: MDNSService
    let table: MDNSTable
    var state = State.idle
    var pending: [Pending] = []
    var lastTold: [MDNSRecords: Instant] = [:]
    private var packets: [MDNSPacket] = []
    private var events: [MDNSEvent] = []

    /// A responder that does not tell yet; nil if a name or a string of the service is too long.
    public init?(_ service: MDNSService) {
        guard let table = MDNSTable(service) else { return nil }
        self.service = service
        self.table = table
    }

    /// Begins to probe, after a random time up to a quarter of a second (RFC 6762, 8.1).
    public mutating func begin(at now: Instant, _ random: inout some RandomSource) {
        state = .probing(sent: 0, next: now + random.milliseconds(upTo: 250))
        pending.removeAll()
        lastTold.removeAll()
    }

    /// Takes back what it has told (RFC 6762, 10.1), and is silent.
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

    /// Is silent from now on, as a host that was switched off.
    public mutating func silence() {
        state = .idle
        pending.removeAll()
    }

    /// When to call `advance` if nothing comes before; nil if it waits for nothing.
    public var deadline: Instant? {
        let next: Instant? =
            switch state {
            case .probing(_, let next), .announcing(_, let next): next
            case .idle, .running, .conflicted: nil
            }
        return Instant.earlier(next, pending.map(\.due).min())
    }

    /// Time has come to `now`.
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

    /// The next packet to be sent.
    public mutating func nextPacket() -> MDNSPacket? { packets.isEmpty ? nil : packets.removeFirst() }

    /// The next event.
    public mutating func nextEvent() -> MDNSEvent? { events.isEmpty ? nil : events.removeFirst() }

    // MARK: - Sending

    mutating func send(_ message: DNSMessage, to peer: MDNSPeer) {
        // A shell that does not take them gets the first ones.
        guard packets.count < MDNSResponder.maximumPending else { return }
        packets.append(MDNSPacket(octets: message.octets, peer: peer))
    }

    /// Tells all.
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
        // The bit of the cache is for answers only (RFC 6762, 10.2).
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

    /// The name is another's.
    mutating func yield(_ name: DNSName) {
        silence()
        state = .conflicted
        events.append(.conflict(name))
    }
}

extension RandomSource {
    /// A random time from `least` to `most` milliseconds; evenly enough for what it is for.
    mutating func milliseconds(from least: Int = 0, upTo most: Int) -> Duration {
        var octets: [UInt8] = [0, 0]
        var span = octets.mutableSpan
        fill(&span)
        let number = Int(octets[0]) << 8 | Int(octets[1])
        return .milliseconds(least + number % (most - least + 1))
    }
}
