// SPDX-License-Identifier: Apache-2.0

/// A set of the records of a table, by number.
typealias MDNSRecords = Set<Int>

/// The records of a host and its services by name and content.
struct MDNSTable: Sendable {
    /// The lifetime of records that depend on the host name, in seconds (RFC 6762, 10).
    static let hostLifetime: UInt32 = 120

    enum Kind: Equatable, Sendable {
        /// The service type enumeration (RFC 6763, 9).
        case type
        /// A pointer from the type or a subtype to the instance.
        case instance
        /// The instance's location (SRV).
        case place
        /// The instance's text (TXT).
        case text
        /// An address of the host.
        case address
        /// The absence of other records of the name (NSEC).
        case end

        /// True for records whose names belong to this host. Other hosts with the type may share the remaining records.
        var isUnique: Bool { self != .type && self != .instance }
        /// True for records that are announced, and withdrawn at the end.
        var isAnnounced: Bool { self != .type && self != .end }
    }

    struct Entry: Sendable {
        let number: Int
        let kind: Kind
        /// The name that has to be this host's own: of the instance, or of the host.
        let owner: DNSName
        let record: DNSRecord
    }

    /// The names of the instances, then the name of the host.
    private(set) var owners: [DNSName] = []
    private(set) var entries: [Entry] = []
    private var nextNumber = 0

    /// The records of services; nil if a name or string is invalid. Records that are also in `former` keep their
    /// numbers.
    init?(_ host: MDNSHost, _ services: [MDNSService], after former: MDNSTable? = nil) {
        nextNumber = former?.nextNumber ?? 0
        guard let hostName = DNSName([host.name, "local"]) else { return nil }
        var last: [(Kind, DNSName, DNSRecord)] = []
        func add(_ kind: Kind, _ owner: DNSName, _ name: DNSName, _ data: DNSData, _ lifetime: UInt32) {
            last.append(
                (kind, owner, DNSRecord(name, data, lifetime: lifetime, flushesCache: kind.isUnique)))
        }
        for service in services {
            let domain = service.type + ["local"]
            guard let type = DNSName(domain), let instance = DNSName([service.instance] + domain),
                let types = DNSName(["_services", "_dns-sd", "_udp", "local"]), let text = MDNSTable.text(service)
            else { return nil }
            owners.append(instance)
            add(.type, instance, types, .pointer(type), service.lifetime)
            add(.instance, instance, type, .pointer(instance), service.lifetime)
            for subtype in service.subtypes {
                guard let name = DNSName([subtype, "_sub"] + domain) else { return nil }
                add(.instance, instance, name, .pointer(instance), service.lifetime)
            }
            let place = DNSData.service(priority: 0, weight: 0, port: service.port, host: hostName)
            add(.place, instance, instance, place, MDNSTable.hostLifetime)
            add(.text, instance, instance, .text(text), service.lifetime)
            // The existing types as bits of window 0 (RFC 4034, 4.1.2): 16 and 33.
            let end = instance.octets + [0, 5, 0x00, 0x00, 0x80, 0x00, 0x40]
            add(.end, instance, instance, .other(.nsec, end), MDNSTable.hostLifetime)
        }
        owners.append(hostName)
        for network in host.networks {
            add(.address, hostName, hostName, .address(network.address), MDNSTable.hostLifetime)
        }
        let hasIPv4 = host.networks.contains { !$0.address.isIPv6 }
        let hasIPv6 = host.networks.contains { $0.address.isIPv6 }
        // Types 1 and 28.
        let types: [UInt8] = hasIPv6 ? [0, 4, hasIPv4 ? 0x40 : 0, 0, 0, 0x08] : [0, 1, hasIPv4 ? 0x40 : 0]
        add(.end, hostName, hostName, .other(.nsec, hostName.octets + types), MDNSTable.hostLifetime)
        for (kind, owner, record) in last {
            let same = former?.entries.first { $0.owner == owner && $0.record == record }
            entries.append(Entry(number: same?.number ?? nextNumber, kind: kind, owner: owner, record: record))
            if same == nil { nextNumber += 1 }
        }
    }

    private static func text(_ service: MDNSService) -> [UInt8]? {
        var text: [UInt8] = []
        for string in service.text {
            guard string.utf8.count <= MDNSService.maximumTextCount else { return nil }
            text.append(UInt8(truncatingIfNeeded: string.utf8.count))
            text.append(contentsOf: string.utf8)
        }
        // A TXT record without strings is invalid: an empty string represents none (RFC 6763, 6.1).
        return text.isEmpty ? [0] : text
    }

    /// The name of the host.
    var host: DNSName { owners[owners.count - 1] }

    /// The records of a set, in the table's order; equal records of several services occur once.
    subscript(records: MDNSRecords) -> [DNSRecord] {
        entries.filter { records.contains($0.number) }.reduce(into: []) { found, entry in
            if entry.kind.isUnique || !found.contains(entry.record) { found.append(entry.record) }
        }
    }

    func numbers(_ isIncluded: (Entry) -> Bool) -> MDNSRecords {
        MDNSRecords(entries.lazy.filter(isIncluded).map(\.number))
    }

    /// The announced records of an owner.
    func announced(_ owner: DNSName) -> MDNSRecords { numbers { $0.owner == owner && $0.kind.isAnnounced } }

    /// The unique records of an owner, which are probed for.
    func unique(_ owner: DNSName) -> MDNSRecords {
        numbers { $0.owner == owner && $0.kind.isUnique && $0.kind.isAnnounced }
    }

    /// The records that answer a question.
    func answer(_ question: DNSQuestion) -> MDNSRecords {
        guard question.classCode == DNSRecord.internet || question.classCode == 255 else { return [] }
        let found = numbers { entry in
            entry.record.name == question.name && entry.kind != .end
                && (question.type == .any || question.type == entry.record.data.type)
        }
        guard found.isEmpty else { return found }
        // The names belong to this host, so that the absence of a record is known (RFC 6762, 6.1).
        return numbers { $0.kind == .end && $0.record.name == question.name }
    }

    /// Additional records that spare the querier a further question (RFC 6763, 12).
    func additional(to answers: MDNSRecords) -> MDNSRecords {
        var wanted: MDNSRecords = []
        for entry in entries where answers.contains(entry.number) {
            switch entry.kind {
            case .instance:
                wanted.formUnion(numbers { $0.owner == entry.owner && ($0.kind == .place || $0.kind == .text) })
                wanted.formUnion(unique(host))
            case .place: wanted.formUnion(unique(host))
            case .address:
                wanted.formUnion(unique(host))
                if unique(host).count == 1 { wanted.formUnion(numbers { $0.owner == host && $0.kind == .end }) }
            case .type, .text, .end: break
            }
        }
        return wanted.subtracting(answers)
    }

    /// The records that equal another one, regardless of its lifetime.
    func same(as other: DNSRecord) -> MDNSRecords {
        numbers { entry in
            let record = entry.record
            return record.name == other.name && record.classCode == other.classCode && record.data == other.data
        }
    }

    /// True if another host's record conflicts with an owner's. While probing, any record does; later, only a record of
    /// the same type with other data (RFC 6762, 8.1 and 9).
    func conflicts(with other: DNSRecord, whileProbing isProbing: Bool) -> Bool {
        guard owners.contains(other.name), other.classCode == DNSRecord.internet else { return false }
        guard other.lifetime > 0, same(as: other).isEmpty else { return false }
        return isProbing || self[unique(other.name)].contains { $0.data.type == other.data.type }
    }

    /// The records to withdraw when `next` replaces this table: records whose name and type it lacks, and shared
    /// records that it lacks. A unique record with other data replaces the previous one by its cache-flush bit (RFC
    /// 6762, 10.2).
    func withdrawn(by next: MDNSTable?) -> [DNSRecord] {
        let left = next?.entries ?? []
        let gone = numbers { entry in
            entry.kind.isAnnounced
                && !left.contains { other in
                    other.record.name == entry.record.name
                        && (entry.kind.isUnique
                            ? other.record.data.type == entry.record.data.type
                            : other.record.data == entry.record.data)
                }
        }
        return self[gone].map { record in
            var record = record
            record.lifetime = 0
            return record
        }
    }
}
