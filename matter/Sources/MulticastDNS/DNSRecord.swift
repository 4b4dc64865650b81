// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// The type of a record or a question (RFC 1035, 3.2.2).
public struct DNSType: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt16

    /// The type with this number.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// An IPv4 address.
    public static let a = DNSType(rawValue: 1)
    /// A domain name pointer.
    public static let ptr = DNSType(rawValue: 12)
    /// Text strings.
    public static let txt = DNSType(rawValue: 16)
    /// An IPv6 address (RFC 3596).
    public static let aaaa = DNSType(rawValue: 28)
    /// The host and port of a service (RFC 2782).
    public static let srv = DNSType(rawValue: 33)
    /// The existing types of a name (RFC 6762, 6.1).
    public static let nsec = DNSType(rawValue: 47)
    /// Any type, in a question.
    public static let any = DNSType(rawValue: 255)
}

/// The data of a record.
public enum DNSData: Equatable, Sendable {
    /// An IPv4 or an IPv6 address.
    case address(HostAddress)
    /// Another domain name.
    case pointer(DNSName)
    /// Strings, each preceded by its length.
    case text([UInt8])
    /// The location of a service; priority and weight are 0 with multicast (RFC 6763, 5).
    case service(priority: UInt16, weight: UInt16, port: UInt16, host: DNSName)
    /// Data of any other type, unparsed.
    case other(DNSType, [UInt8])

    /// The type of the record.
    public var type: DNSType {
        switch self {
        case .address(let address): address.isIPv6 ? .aaaa : .a
        case .pointer: .ptr
        case .text: .txt
        case .service: .srv
        case .other(let type, _): type
        }
    }

    /// The uncompressed encoding, which simultaneous probes compare (RFC 6762, 8.2).
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

    /// The name that the record describes.
    public var name: DNSName
    /// The class, without its most significant bit.
    public var classCode: UInt16
    /// The most significant bit of the class: flush the cache of name and type (RFC 6762, 10.2).
    public var flushesCache: Bool
    /// The time to live in seconds; 0 withdraws the record.
    public var lifetime: UInt32
    /// The data of the record.
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
    /// The queried name.
    public var name: DNSName
    /// The queried type.
    public var type: DNSType
    /// The class, without its most significant bit; 255 for any.
    public var classCode: UInt16
    /// The most significant bit of the class: a unicast response is accepted (RFC 6762, 5.4).
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
