// SPDX-License-Identifier: Apache-2.0

public import MulticastDNS

/// A network interface that is up, and its usable addresses.
public struct NetworkInterface: Equatable, Sendable {
    /// Its name.
    public var name: String
    /// The kernel's number, which changes when the interface is created again.
    public var index: UInt32
    /// The hardware address: 6 octets; zeros if the interface has no address.
    public var hardwareAddress: [UInt8]
    /// True for the loopback interface.
    public var isLoopback: Bool
    /// The number of times that it was connected: it is announced again each time.
    public var connections: UInt32
    /// Its addresses in ascending order, IPv4 first.
    public var networks: [HostNetwork]

    /// True if it has an address of this family.
    public func has(isIPv6: Bool) -> Bool { networks.contains { $0.address.isIPv6 == isIPv6 } }

    /// The interface with its addresses, for people.
    public var text: String {
        networks.isEmpty ? name : "\(name) (\(networks.map { "\($0.address)" }.joined(separator: ", ")))"
    }
}
