// SPDX-License-Identifier: Apache-2.0

/// The host of announced services.
public struct MDNSHost: Equatable, Sendable {
    /// The host name, without `local`.
    public var name: String
    /// The host's addresses on the network of the announcement: only hosts of these networks are answered (RFC 6762,
    /// 11).
    public var networks: [HostNetwork]
    /// False if the name is unique by construction, so that it is announced without probes.
    public var isProbed: Bool

    /// A host.
    public init(name: String, networks: [HostNetwork], isProbed: Bool = true) {
        self.name = name
        self.networks = networks
        self.isProbed = isProbed
    }

    /// True if an address is in any network of the host, or is an IPv6 link-local address.
    func isNear(_ other: HostAddress) -> Bool {
        if other.isIPv6, other.octets[0] == 0xFE, other.octets[1] & 0xC0 == 0x80 { return true }
        return networks.contains { $0.address.shares($0.prefix, with: other) }
    }
}

/// A service of a host, announced by multicast DNS (RFC 6763, 4).
public struct MDNSService: Equatable, Sendable {
    /// The maximum length of a string of the TXT record in octets (RFC 6763, 6.1).
    public static let maximumTextCount = 255

    /// The instance name: one label, any UTF-8.
    public var instance: String
    /// The two labels of the type: `_http`, `_tcp`.
    public var type: [String]
    /// The labels of the subtypes by which a browser can select the instance (RFC 6763, 7.1).
    public var subtypes: [String]
    /// The port.
    public var port: UInt16
    /// The strings of the TXT record.
    public var text: [String]
    /// The lifetime of the pointers and the text, in seconds (RFC 6762, 10).
    public var lifetime: UInt32
    /// False if the instance name is unique by construction, so that it is announced without probes.
    public var isProbed: Bool

    /// A service.
    public init(
        instance: String, type: [String], subtypes: [String] = [], port: UInt16, text: [String],
        lifetime: UInt32 = 4500, isProbed: Bool = true
    ) {
        self.instance = instance
        self.type = type
        self.subtypes = subtypes
        self.port = port
        self.text = text
        self.lifetime = lifetime
        self.isProbed = isProbed
    }
}
