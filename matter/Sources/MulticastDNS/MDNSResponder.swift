// SPDX-License-Identifier: Apache-2.0

public import Crypto
internal import Octets
public import Timekeeping

/// The sender or recipient of a packet.
public struct MDNSPeer: Hashable, Sendable {
    /// The port of multicast DNS (RFC 6762, 3).
    public static let port: UInt16 = 5353

    /// The address.
    public var address: HostAddress
    /// The port; any other than 5353 belongs to a plain DNS resolver (RFC 6762, 6.7).
    public var port: UInt16

    /// A peer.
    public init(address: HostAddress, port: UInt16 = MDNSPeer.port) {
        self.address = address
        self.port = port
    }

    /// The multicast group of IPv4, 224.0.0.251 (RFC 6762, 3).
    public static var everybody: MDNSPeer { MDNSPeer(address: HostAddress(224, 0, 0, 251)) }

    /// The multicast group of IPv6, ff02::fb (RFC 6762, 3).
    public static var everybodyIPv6: MDNSPeer {
        let octets = [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB]
        return MDNSPeer(address: HostAddress(octets) ?? everybody.address)
    }
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
    /// The instance, or the host if it has none, is probed for and announced.
    case announced(DNSName)
    /// Another host owns this name; the responder is silent.
    case conflict(DNSName)
}

/// A multicast DNS responder for the services of one host (RFC 6762, RFC 6763), on one network and in its IPv4 or IPv6
/// group. The addresses of both families are announced in both groups.
///
/// It is a value: packets and time go in; packets and events come out. It probes, announces, responds and withdraws. On
/// a conflict it does not choose another name: apps look for this name, so the user has to be informed. A name that is
/// unique by construction is not probed for, and a conflicting record of another host has no effect on it.
public struct MDNSResponder: Sendable {
    /// The interval between probes, and between the last of three and the announcement (RFC 6762, 8.1).
    static let betweenProbes = Duration.milliseconds(250)
    /// The pause after losing to a simultaneous probe (RFC 6762, 8.2).
    static let afterLosing = Duration.seconds(1)
    /// The interval between announcements (RFC 6762, 8.3), and between two multicasts of a record (6).
    static let betweenAnnouncements = Duration.seconds(1)
    /// The maximum number of queued packets: more than a network of phones causes, but few enough to make a flood
    /// harmless.
    static let maximumPending = 16
    /// The maximum length of a response of several records in octets, which fits in a packet of Ethernet (RFC 6762,
    /// 17).
    static let maximumResponse = 1440

    /// The progress of an instance's or the host's records.
    enum Phase: Equatable, Sendable {
        case probing(sent: Int, next: Instant)
        case announcing(sent: Int, next: Instant)
        case running

        var next: Instant? {
            switch self {
            case .probing(_, let next), .announcing(_, let next): next
            case .running: nil
            }
        }

        var isProbing: Bool { if case .probing = self { true } else { false } }
        var isAnnounced: Bool {
            switch self {
            case .running: true
            case .announcing(let sent, _): sent > 0
            case .probing: false
            }
        }
    }

    struct Pending: Sendable {
        var due: Instant
        var records: MDNSRecords
        /// The querier, whose known answers may follow in further packets.
        var asker: MDNSPeer
    }

    /// The multicast group.
    let group: MDNSPeer
    private(set) var host: MDNSHost
    private var services: [MDNSService]
    private(set) var table: MDNSTable
    /// The phase of each owner of records; empty while the responder is silent.
    var phases: [DNSName: Phase] = [:]
    var pending: [Pending] = []
    var lastTold: [Int: Instant] = [:]
    private var packets: [MDNSPacket] = []
    private var events: [MDNSEvent] = []

    /// An inactive responder; nil if a name or a string is too long.
    public init?(_ host: MDNSHost, _ services: [MDNSService], in group: MDNSPeer = .everybody) {
        guard let table = MDNSTable(host, services) else { return nil }
        self.host = host
        self.services = services
        self.table = table
        self.group = group
    }

    /// Starts probing after a random delay of up to 250 ms (RFC 6762, 8.1), and announces names that are not probed
    /// for.
    public mutating func begin(at now: Instant, _ random: inout some RandomSource) {
        silence()
        lastTold.removeAll()
        let first = now + random.milliseconds(upTo: 250)
        for (owner, isProbed) in probed {
            phases[owner] = isProbed ? .probing(sent: 0, next: first) : .announcing(sent: 0, next: now)
        }
        advance(to: now)
    }

    /// Replaces host and services: withdraws removed records, probes for new names, and announces new and changed
    /// records.
    ///
    /// - Returns: false if a name or a string is too long; nothing has changed then.
    @discardableResult
    public mutating func offer(_ host: MDNSHost, _ services: [MDNSService], at now: Instant) -> Bool {
        guard let next = MDNSTable(host, services, after: table) else { return false }
        let former = table
        self.host = host
        self.services = services
        table = next
        guard isActive else { return true }
        let gone = former.withdrawn(by: next).filter { record in
            former.entries.contains { $0.record.sameData(as: record) && phases[$0.owner]?.isAnnounced == true }
        }
        respond(gone, to: group)
        let known = next.numbers { _ in true }
        for index in pending.indices { pending[index].records.formIntersection(known) }
        pending.removeAll { $0.records.isEmpty }
        lastTold = lastTold.filter { known.contains($0.key) }
        phases = phases.filter { next.owners.contains($0.key) }
        for (owner, isProbed) in probed {
            if phases[owner] == nil {
                phases[owner] =
                    isProbed ? .probing(sent: 0, next: now) : .announcing(sent: 0, next: announcement(owner, at: now))
            } else if phases[owner]?.isProbing == false, former.announced(owner) != next.announced(owner) {
                phases[owner] = .announcing(sent: 0, next: announcement(owner, at: now))
            }
        }
        advance(to: now)
        return true
    }

    /// The time of the next announcement of an owner's records: a second after the last multicast of any of them (RFC
    /// 6762, 6), so that record sets stay together.
    private func announcement(_ owner: DNSName, at now: Instant) -> Instant {
        table.announced(owner).compactMap { lastTold[$0] }.reduce(now) {
            max($0, $1 + MDNSResponder.betweenAnnouncements)
        }
    }

    private var probed: [(DNSName, Bool)] {
        Array(zip(table.owners, services.map(\.isProbed) + [host.isProbed]))
    }

    /// True if the owner's names are probed for.
    func isProbed(_ owner: DNSName) -> Bool { probed.contains { $0.0 == owner && $0.1 } }

    /// True between `begin` and the end.
    var isActive: Bool { !phases.isEmpty }

    /// Withdraws the announced records (RFC 6762, 10.1), and becomes silent.
    public mutating func end() {
        respond(
            table.withdrawn(by: nil).filter { record in
                table.entries.contains { $0.record.sameData(as: record) && phases[$0.owner]?.isAnnounced == true }
            }, to: group)
        silence()
    }

    /// Becomes silent without a goodbye, like a host that loses power.
    public mutating func silence() {
        phases.removeAll()
        pending.removeAll()
    }

    /// The time of the next call of `advance` if no packet arrives; nil for none.
    public var deadline: Instant? {
        Instant.earlier(phases.values.compactMap(\.next).min(), pending.map(\.due).min())
    }

    /// Performs the actions due at `now`.
    public mutating func advance(to now: Instant) {
        probe(at: now)
        announce(at: now)
        let due = pending.filter { $0.due <= now }.reduce(into: MDNSRecords()) { $0.formUnion($1.records) }
        pending.removeAll { $0.due <= now }
        if !due.isEmpty { report(due, at: now) }
    }

    /// Removes and returns the next packet to send; nil if no packet is pending.
    public mutating func nextPacket() -> MDNSPacket? { packets.isEmpty ? nil : packets.removeFirst() }

    /// Removes and returns the next event; nil if no event is pending.
    public mutating func nextEvent() -> MDNSEvent? { events.isEmpty ? nil : events.removeFirst() }

    // MARK: - Sending

    mutating func send(_ message: DNSMessage, to peer: MDNSPeer) {
        // If the caller does not remove packets, the oldest are kept.
        guard packets.count < MDNSResponder.maximumPending else { return }
        packets.append(MDNSPacket(octets: message.octets, peer: peer))
    }

    /// Multicasts records.
    private mutating func report(_ records: MDNSRecords, at now: Instant) {
        respond(table[records], additionals: table[table.additional(to: records)], to: group)
        for number in records { lastTold[number] = now }
    }

    /// Sends records as one response, or as several if they exceed a packet. Additional records are omitted first.
    mutating func respond(_ answers: [DNSRecord], additionals: [DNSRecord] = [], to peer: MDNSPeer) {
        guard !answers.isEmpty else { return }
        var message = DNSMessage(flags: DNSMessage.answer)
        message.answers = answers
        message.additionals = additionals
        let octets = message.octets
        if octets.count <= MDNSResponder.maximumResponse || (answers.count == 1 && additionals.isEmpty) {
            guard packets.count < MDNSResponder.maximumPending else { return }
            packets.append(MDNSPacket(octets: octets, peer: peer))
        } else if !additionals.isEmpty {
            respond(answers, to: peer)
        } else {
            respond(Array(answers.prefix(answers.count / 2)), to: peer)
            respond(Array(answers.suffix(answers.count - answers.count / 2)), to: peer)
        }
    }

    private mutating func probe(at now: Instant) {
        var message = DNSMessage()
        for owner in table.owners {
            guard case .probing(let sent, let next) = phases[owner], next <= now else { continue }
            guard sent < 3 else {
                phases[owner] = .announcing(sent: 0, next: now)
                continue
            }
            message.questions.append(DNSQuestion(owner, .any, wantsUnicast: true))
            // The cache-flush bit is for responses only (RFC 6762, 10.2).
            message.authorities += table[table.unique(owner)].map { record in
                var record = record
                record.flushesCache = false
                return record
            }
            phases[owner] = .probing(sent: sent + 1, next: now + MDNSResponder.betweenProbes)
        }
        if !message.questions.isEmpty { send(message, to: group) }
    }

    private mutating func announce(at now: Instant) {
        var records: MDNSRecords = []
        for owner in table.owners {
            guard case .announcing(let sent, let next) = phases[owner], next <= now else { continue }
            records.formUnion(table.announced(owner))
            if sent == 0 {
                phases[owner] = .announcing(sent: 1, next: now + MDNSResponder.betweenAnnouncements)
                if owner != table.host || table.owners.count == 1 { events.append(.announced(owner)) }
            } else {
                phases[owner] = .running
            }
        }
        if !records.isEmpty { report(records, at: now) }
    }

    /// Gives up a name that another host owns.
    mutating func yield(_ name: DNSName) {
        silence()
        events.append(.conflict(name))
    }
}

extension DNSRecord {
    /// True if name and data are equal.
    fileprivate func sameData(as other: DNSRecord) -> Bool { name == other.name && data == other.data }
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
