/// A service of one host that multicast DNS tells of (RFC 6763, 4).
public struct MDNSService: Equatable, Sendable {
    /// The service's name among those of its type: one label, any UTF-8.
    public var instance: String
    /// The type's two labels: `_http`, `_tcp`.
    public var type: [String]
    /// The host's name, without `local`.
    public var host: String
    /// The port.
    public var port: UInt16
    /// The strings of the TXT record, at most 255 octets each (RFC 6763, 6.1).
    public var text: [String]
    /// The host's address on the network where this is told.
    public var address: IPv4Address
    /// How many bits of the address are the network's: only who is in it is answered (RFC 6762, 11).
    public var prefix: Int

    /// A service.
    public init(
        instance: String, type: [String], host: String, port: UInt16, text: [String], address: IPv4Address,
        prefix: Int = 24
    ) {
        self.instance = instance
        self.type = type
        self.host = host
        self.port = port
        self.text = text
        self.address = address
        self.prefix = prefix
    }

    /// Whether an address is in the service's network.
    func isNear(_ other: IPv4Address) -> Bool {
        func number(_ address: IPv4Address) -> UInt32 { address.octets.reduce(0) { $0 << 8 | UInt32($1) } }
        let shift = 32 - min(max(prefix, 0), 32)
        return (number(address) ^ number(other)) >> UInt32(shift) == 0
    }
}

/// Some of the records that a service has.
struct MDNSRecords: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// Which types there are (RFC 6763, 9).
    static let types = MDNSRecords(rawValue: 1)
    /// Which instances of the type there are.
    static let instances = MDNSRecords(rawValue: 2)
    /// Where the instance is.
    static let place = MDNSRecords(rawValue: 4)
    /// The instance's text.
    static let text = MDNSRecords(rawValue: 8)
    /// The host's address.
    static let address = MDNSRecords(rawValue: 16)
    /// That the instance has nothing else.
    static let instanceEnd = MDNSRecords(rawValue: 32)
    /// That the host has nothing else: no IPv6 address.
    static let hostEnd = MDNSRecords(rawValue: 64)

    /// What is announced, and taken back at the end.
    static let announced: MDNSRecords = [.instances, .place, .text, .address]
    /// What nobody else may say under these names.
    static let unique: MDNSRecords = [.place, .text, .address]
    /// What others of the type say under the same names.
    static let shared: MDNSRecords = [.types, .instances]

    /// Each one by itself.
    static let each: [MDNSRecords] = [.types, .instances, .place, .text, .address, .instanceEnd, .hostEnd]

    /// Each of these by itself.
    var parts: [MDNSRecords] { MDNSRecords.each.filter { contains($0) } }
}

/// A service's records by name and content.
struct MDNSTable: Equatable, Sendable {
    /// How long what depends on the host's name holds, in seconds (RFC 6762, 10).
    static let hostLifetime: UInt32 = 120
    /// How long all else holds, in seconds (RFC 6762, 10).
    static let otherLifetime: UInt32 = 4500

    let instance: DNSName
    let host: DNSName
    private let records: [(part: MDNSRecords, record: DNSRecord)]

    static func == (left: MDNSTable, right: MDNSTable) -> Bool {
        left.records.map(\.record) == right.records.map(\.record)
    }

    /// The records of a service; nil if one of its names or strings is none.
    init?(_ service: MDNSService) {
        let domain = service.type + ["local"]
        guard let type = DNSName(domain), let instance = DNSName([service.instance] + domain),
            let host = DNSName([service.host, "local"]), let types = DNSName(["_services", "_dns-sd", "_udp", "local"])
        else { return nil }
        var text: [UInt8] = []
        for string in service.text {
            guard string.utf8.count <= 255 else { return nil }
            text.append(UInt8(truncatingIfNeeded: string.utf8.count))
            text.append(contentsOf: string.utf8)
        }
        // A record without strings is not allowed: one that is empty stands for none (RFC 6763, 6.1).
        if text.isEmpty { text = [0] }
        self.instance = instance
        self.host = host
        func unique(_ name: DNSName, _ data: DNSData, _ lifetime: UInt32) -> DNSRecord {
            DNSRecord(name, data, lifetime: lifetime, flushesCache: true)
        }
        // The types that there are as bits of the window 0 (RFC 4034, 4.1.2): 16 and 33; 1.
        let ofInstance = instance.octets + [0, 5, 0x00, 0x00, 0x80, 0x00, 0x40]
        let ofHost = host.octets + [0, 1, 0x40]
        records = [
            (.types, DNSRecord(types, .pointer(type), lifetime: MDNSTable.otherLifetime)),
            (.instances, DNSRecord(type, .pointer(instance), lifetime: MDNSTable.otherLifetime)),
            (
                .place,
                unique(
                    instance, .service(priority: 0, weight: 0, port: service.port, host: host),
                    MDNSTable.hostLifetime)
            ),
            (.text, unique(instance, .text(text), MDNSTable.otherLifetime)),
            (.address, unique(host, .address(service.address), MDNSTable.hostLifetime)),
            (.instanceEnd, unique(instance, .other(.nsec, ofInstance), MDNSTable.hostLifetime)),
            (.hostEnd, unique(host, .other(.nsec, ofHost), MDNSTable.hostLifetime)),
        ]
    }

    /// These records.
    subscript(parts: MDNSRecords) -> [DNSRecord] {
        records.filter { parts.contains($0.part) }.map(\.record)
    }

    /// What answers a question.
    func answer(_ question: DNSQuestion) -> MDNSRecords {
        guard question.classCode == DNSRecord.internet || question.classCode == 255 else { return [] }
        var found: MDNSRecords = []
        for (part, record) in records where record.name == question.name && record.data.type != .nsec {
            if question.type == .any || question.type == record.data.type { found.insert(part) }
        }
        // The names are the service's alone: that there is no such record is known (RFC 6762, 6.1).
        if found.isEmpty, question.name == instance { return .instanceEnd }
        if found.isEmpty, question.name == host { return .hostEnd }
        return found
    }

    /// What saves the one who was answered the next question (RFC 6763, 12).
    func additional(to answers: MDNSRecords) -> MDNSRecords {
        var more: MDNSRecords = []
        if answers.contains(.instances) { more.formUnion([.place, .text, .address]) }
        if answers.contains(.place) { more.formUnion([.address]) }
        if answers.contains(.address) { more.formUnion([.hostEnd]) }
        return more.subtracting(answers)
    }

    /// Which of the records another one is, whatever its lifetime; empty if it is none of them.
    func same(as other: DNSRecord) -> MDNSRecords {
        var found: MDNSRecords = []
        for (part, record) in records
        where record.name == other.name && record.classCode == other.classCode && record.data == other.data {
            found.insert(part)
        }
        return found
    }

    /// Whether another's record takes a name that is the service's. While the name is not won yet, any record counts;
    /// later one of the same type that says something else (RFC 6762, 8.1 and 9).
    func conflicts(with other: DNSRecord, whileProbing isProbing: Bool) -> Bool {
        guard other.name == instance || other.name == host, other.classCode == DNSRecord.internet else { return false }
        guard other.lifetime > 0, same(as: other).isEmpty else { return false }
        return isProbing
            || self[.unique].contains { $0.name == other.name && $0.data.type == other.data.type }
    }
}
