public import WiFiProvisioning

/// A service of one host, announced by multicast DNS (RFC 6763, 4).
public struct MDNSService: Equatable, Sendable {
    /// The instance name: one label, any UTF-8.
    public var instance: String
    /// The two labels of the type: `_http`, `_tcp`.
    public var type: [String]
    /// The host name, without `local`.
    public var host: String
    /// The port.
    public var port: UInt16
    /// The strings of the TXT record, at most 255 octets each (RFC 6763, 6.1).
    public var text: [String]
    /// The host's address on the network of the announcement.
    public var address: IPv4Address
    /// The prefix length of the network: only its hosts are answered (RFC 6762, 11).
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

    /// True if an address is in the service's network.
    func isNear(_ other: IPv4Address) -> Bool {
        func number(_ address: IPv4Address) -> UInt32 { address.octets.reduce(0) { $0 << 8 | UInt32($1) } }
        let shift = 32 - min(max(prefix, 0), 32)
        return (number(address) ^ number(other)) >> UInt32(shift) == 0
    }
}

/// A set of the records of a service.
struct MDNSRecords: OptionSet, Hashable, Sendable {
    let rawValue: UInt8

    /// The service type enumeration (RFC 6763, 9).
    static let types = MDNSRecords(rawValue: 1)
    /// The pointer from the type to the instance.
    static let instances = MDNSRecords(rawValue: 2)
    /// The instance's location (SRV).
    static let place = MDNSRecords(rawValue: 4)
    /// The instance's text (TXT).
    static let text = MDNSRecords(rawValue: 8)
    /// The host's address (A).
    static let address = MDNSRecords(rawValue: 16)
    /// The absence of other records of the instance (NSEC).
    static let instanceEnd = MDNSRecords(rawValue: 32)
    /// The absence of other records of the host (NSEC): no IPv6 address.
    static let hostEnd = MDNSRecords(rawValue: 64)

    /// The records that are announced, and withdrawn at the end.
    static let announced: MDNSRecords = [.instances, .place, .text, .address]
    /// The unique records, whose names belong to this host.
    static let unique: MDNSRecords = [.place, .text, .address]
    /// The shared records, which other hosts of the type have too.
    static let shared: MDNSRecords = [.types, .instances]

    /// All records, as sets of one.
    static let each: [MDNSRecords] = [.types, .instances, .place, .text, .address, .instanceEnd, .hostEnd]

    /// The elements, as sets of one.
    var parts: [MDNSRecords] { MDNSRecords.each.filter { contains($0) } }
}

/// The records of a service by name and content.
struct MDNSTable: Equatable, Sendable {
    /// The lifetime of records that depend on the host name, in seconds (RFC 6762, 10).
    static let hostLifetime: UInt32 = 120
    /// The lifetime of all other records, in seconds (RFC 6762, 10).
    static let otherLifetime: UInt32 = 4500

    let instance: DNSName
    let host: DNSName
    private let records: [(part: MDNSRecords, record: DNSRecord)]

    static func == (left: MDNSTable, right: MDNSTable) -> Bool {
        left.records.map(\.record) == right.records.map(\.record)
    }

    /// The records of a service; nil if one of its names or strings is invalid.
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
        // A TXT record without strings is invalid: an empty string represents none (RFC 6763, 6.1).
        if text.isEmpty { text = [0] }
        self.instance = instance
        self.host = host
        func unique(_ name: DNSName, _ data: DNSData, _ lifetime: UInt32) -> DNSRecord {
            DNSRecord(name, data, lifetime: lifetime, flushesCache: true)
        }
        // The existing types as bits of window 0 (RFC 4034, 4.1.2): 16 and 33; 1.
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

    /// The records of a set.
    subscript(parts: MDNSRecords) -> [DNSRecord] {
        records.filter { parts.contains($0.part) }.map(\.record)
    }

    /// The records that answer a question.
    func answer(_ question: DNSQuestion) -> MDNSRecords {
        guard question.classCode == DNSRecord.internet || question.classCode == 255 else { return [] }
        var found: MDNSRecords = []
        for (part, record) in records where record.name == question.name && record.data.type != .nsec {
            if question.type == .any || question.type == record.data.type { found.insert(part) }
        }
        // The names belong to this host, so that the absence of a record is known (RFC 6762, 6.1).
        if found.isEmpty, question.name == instance { return .instanceEnd }
        if found.isEmpty, question.name == host { return .hostEnd }
        return found
    }

    /// Additional records that spare the querier a further question (RFC 6763, 12).
    func additional(to answers: MDNSRecords) -> MDNSRecords {
        var more: MDNSRecords = []
        if answers.contains(.instances) { more.formUnion([.place, .text, .address]) }
        if answers.contains(.place) { more.formUnion([.address]) }
        if answers.contains(.address) { more.formUnion([.hostEnd]) }
        return more.subtracting(answers)
    }

    /// The records that equal another one, regardless of its lifetime.
    func same(as other: DNSRecord) -> MDNSRecords {
        var found: MDNSRecords = []
        for (part, record) in records
        where record.name == other.name && record.classCode == other.classCode && record.data == other.data {
            found.insert(part)
        }
        return found
    }

    /// True if another host's record conflicts with the service's names. While probing, any record does; later, one
    /// of the same type with other data (RFC 6762, 8.1 and 9).
    func conflicts(with other: DNSRecord, whileProbing isProbing: Bool) -> Bool {
        guard other.name == instance || other.name == host, other.classCode == DNSRecord.internet else { return false }
        guard other.lifetime > 0, same(as: other).isEmpty else { return false }
        return isProbing
            || self[.unique].contains { $0.name == other.name && $0.data.type == other.data.type }
    }
}
