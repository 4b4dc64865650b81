// SPDX-License-Identifier: Apache-2.0

import Octets

/// An IEEE 802 hardware address: an access point's (BSSID) or the device's own.
public struct WiFiAddress: Hashable, Sendable, CustomStringConvertible {
    /// The length of an address in octets (IEEE 802-2014, 8).
    public static let count = 6

    /// The six octets in transmission order.
    public let octets: [UInt8]

    /// The address with these octets; nil unless there are six.
    public init?(_ octets: [UInt8]) {
        guard octets.count == WiFiAddress.count else { return nil }
        self.octets = octets
    }

    /// The address with these octets.
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8, _ e: UInt8, _ f: UInt8) { octets = [a, b, c, d, e, f] }

    /// Parses `aa:bb:cc:dd:ee:ff`, in either case; nil for any other text.
    public init?(_ text: String) {
        guard let octets = Hexadecimal.octets(text, separator: UInt8(ascii: ":")) else { return nil }
        self.init(octets)
    }

    /// True if all octets are zero: no access point has such an address, and a status has it for an unknown one.
    public var isZero: Bool { octets.allSatisfy { $0 == 0 } }

    /// `aa:bb:cc:dd:ee:ff`
    public var description: String { Hexadecimal.text(octets, separator: ":") }
}

/// A frequency band.
public enum WiFiBand: Sendable, CaseIterable {
    /// 2.4 GHz.
    case band2GHz
    /// 5 GHz.
    case band5GHz
    /// 6 GHz.
    case band6GHz
}

/// The name of a network: 0 to 32 octets, not necessarily text (IEEE 802.11-2020, 9.4.2.2).
public struct WiFiName: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a name in octets.
    public static let maximumCount = 32

    /// The octets; empty in the beacons of a hidden network.
    public let octets: [UInt8]

    /// The name with these octets; nil if there are more than 32.
    public init?(_ octets: [UInt8]) {
        guard octets.count <= WiFiName.maximumCount else { return nil }
        self.octets = octets
    }

    /// The name with this text as UTF-8; nil above 32 octets.
    public init?(_ text: String) { self.init(Array(text.utf8)) }

    /// The name as text; nil if it is not UTF-8.
    public var text: String? { String(validating: octets, as: UTF8.self) }

    /// A quoted representation for display, with unprintable characters escaped.
    public var description: String {
        String(decoding: octets, as: UTF8.self).debugDescription
    }
}

/// The passphrase of a network. A passphrase has 8 to 63 octets; 64 hexadecimal digits are the key itself (IEEE
/// 802.11-2020, J.4).
public typealias WiFiPassphrase = BoundedSecret<0, 64>

/// An access point in a scan result.
public struct WiFiNetwork: Equatable, Sendable {
    /// The network's name; empty if hidden.
    public var name: WiFiName
    /// Its address.
    public var address: WiFiAddress
    /// Its band.
    public var band: WiFiBand
    /// Its channel number within the band.
    public var channel: UInt32
    /// Its security.
    public var security: WiFiSecurity
    /// The RSSI in dBm.
    public var rssi: Int8

    /// An access point.
    public init(
        name: WiFiName, address: WiFiAddress, band: WiFiBand, channel: UInt32, security: WiFiSecurity, rssi: Int8
    ) {
        self.name = name
        self.address = address
        self.band = band
        self.channel = channel
        self.security = security
        self.rssi = rssi
    }
}

/// An IPv4 address.
public struct IPv4Address: Hashable, Sendable, CustomStringConvertible {
    /// The four octets in network order.
    public let octets: [UInt8]

    /// The address with these octets; nil unless there are four.
    public init?(_ octets: [UInt8]) {
        guard octets.count == 4 else { return nil }
        self.octets = octets
    }

    /// The address with these octets.
    public init(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) { octets = [a, b, c, d] }

    /// 0.0.0.0 (RFC 1122, 3.2.1.3): no address yet.
    public static let unspecified = IPv4Address(0, 0, 0, 0)

    /// Parses `192.168.0.42`; nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.allSatisfy({ (1...3).contains($0.utf8.count) && $0.allSatisfy(\.isWholeNumber) }) else {
            return nil
        }
        let numbers = parts.compactMap { UInt8($0) }
        guard numbers.count == parts.count else { return nil }
        self.init(numbers)
    }

    /// `192.168.0.42`
    public var description: String { octets.map { String($0) }.joined(separator: ".") }
}
