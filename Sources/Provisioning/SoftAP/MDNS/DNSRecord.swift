internal import Octets

/// What a record or a question is about (RFC 1035, 3.2.2).
public struct DNSType: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// The type with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An IPv4 address.
    public static let a = DNSType(rawValue: 1)
    /// Another name.
    public static let ptr = DNSType(rawValue: 12)
    /// Text.
    public static let txt = DNSType(rawValue: 16)
    /// An IPv6 address (RFC 3596).
    public static let aaaa = DNSType(rawValue: 28)
    /// Host and port of a service (RFC 2782).
    public static let srv = DNSType(rawValue: 33)
    /// Which types a name has, and no others (RFC 6762, 6.1).
    public static let nsec = DNSType(rawValue: 47)
    /// In a question: every type.
    public static let any = DNSType(rawValue: 255)
}

/// What a record says.
public enum DNSData: Equatable, Sendable {
    /// An IPv4 address.
    case address(IPv4Address)
    /// Another name.
    case pointer(DNSName)
    /// Strings, each behind its length.
    case text([UInt8])
    /// Where a service is; priority and weight are 0 with multicast (RFC 6763, 5).
    case service(priority: UInt16, weight: UInt16, port: UInt16, host: DNSName)
    /// Anything else, as it is written.
    case other(DNSType, [UInt8])

    /// The type of a record that says this.
    public var type: DNSType {
        switch self {
        case .address: .a
        case .pointer: .ptr
        case .text: .txt
        case .service: .srv
        case .other(let type, _): type
        }
    }

    /// As it is written without compression: by this, two that want the same name are compared (RFC 6762, 8.2).
    public var octets: [UInt8] {
        switch self {
        case .address(let address): return address.octets
        case .pointer(let name): return name.octets
        case .text(let octets), .other(_, let octets): return octets
        case .service(let priority, let weight, let port, let host):
            var octets: [UInt8] = []
            for number in [priority, weight, port] { octets.append(bigEndian: number) }
            return octets + host.octets
        }
    }
}

/// A record (RFC 1035, 4.1.3), of class Internet or another.
public struct DNSRecord: Equatable, Sendable {
    /// Internet (RFC 1035, 3.2.4).
    public static let internet: UInt16 = 1

    /// What it is about.
    public var name: DNSName
    /// The class, without its highest bit.
    public var classCode: UInt16
    /// The class's highest bit: what was known of name and type is void (RFC 6762, 10.2).
    public var flushesCache: Bool
    /// How long it holds, in seconds; 0 means that it does not any more.
    public var lifetime: UInt32
    /// What it says.
    public var data: DNSData

    /// A record.
    public init(
        _ name: DNSName, _ data: DNSData, lifetime: UInt32, flushesCache: Bool = false,
        classCode: UInt16 = DNSRecord.internet
    ) {
        self.name = name
        self.classCode = classCode
        self.flushesCache = flushesCache
        self.lifetime = lifetime
        self.data = data
    }
}

/// A question (RFC 1035, 4.1.2).
public struct DNSQuestion: Equatable, Sendable {
    /// What it is about.
    public var name: DNSName
    /// What is asked.
    public var type: DNSType
    /// The class, without its highest bit; 255 for any.
    public var classCode: UInt16
    /// The class's highest bit: the answer may come to the one who asks alone (RFC 6762, 5.4).
    public var wantsUnicast: Bool

    /// A question.
    public init(
        _ name: DNSName, _ type: DNSType, wantsUnicast: Bool = false, classCode: UInt16 = DNSRecord.internet
    ) {
        self.name = name
        self.type = type
        self.classCode = classCode
        self.wantsUnicast = wantsUnicast
    }
}
