// SPDX-License-Identifier: Apache-2.0

/// A UDP endpoint.
public struct UDPPeer: Hashable, Sendable {
    /// An IPv6 address, 16 octets; IPv4 as ::ffff:a.b.c.d.
    public var address: InlineArray<16, UInt8>
    /// The port.
    public var port: UInt16
    /// The interface of a link-local address; otherwise 0.
    public var scope: UInt32

    /// The endpoint with these fields.
    public init(address: InlineArray<16, UInt8>, port: UInt16, scope: UInt32 = 0) {
        self.address = address
        self.port = port
        self.scope = scope
    }

    /// Compares all fields.
    public static func == (left: UDPPeer, right: UDPPeer) -> Bool {
        left.port == right.port && left.scope == right.scope
            && left.address.indices.allSatisfy { left.address[$0] == right.address[$0] }
    }

    /// Hashes all fields.
    public func hash(into hasher: inout Hasher) {
        for index in address.indices { hasher.combine(address[index]) }
        hasher.combine(port)
        hasher.combine(scope)
    }
}

/// The peer of a message: the address for the answer.
public enum TransportPeer: Hashable, Sendable {
    /// UDP loses and repeats datagrams: messages are acknowledged and retransmitted.
    case udp(UDPPeer)
    /// BTP over a BLE link delivers every message once: no acknowledgements at the message layer.
    case ble(link: UInt16)

    /// True if the message layer has to provide reliability (4.12).
    var needsReliability: Bool {
        if case .udp = self { true } else { false }
    }

    /// True for two peers of the same transport. A session does not change its transport.
    func isSameTransport(as other: TransportPeer) -> Bool { needsReliability == other.needsReliability }

    /// True for two peers on the same host: the same address with any port, or the same link.
    func isSameHost(as other: TransportPeer) -> Bool {
        guard case .udp(var one) = self, case .udp(let two) = other else { return self == other }
        one.port = two.port
        return one == two
    }
}
