// SPDX-License-Identifier: Apache-2.0

import Glibc
public import MulticastDNS

/// A network interface that is up and takes part in multicast.
public struct NetworkInterface: Equatable {
    /// Its name.
    public var name: String
    /// The kernel's number.
    public var index: UInt32
    /// The hardware address: 6 octets, zeros for an interface without one.
    public var hardwareAddress: [UInt8]
    /// Its addresses.
    public var networks: [HostNetwork]

    /// The interfaces of this machine, or the one with this name; loopback only if it is named.
    public static func all(named wanted: String? = nil) -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [NetworkInterface] = []
        var next = first
        while let entry = next {
            next = entry.pointee.ifa_next
            let name = String(cString: entry.pointee.ifa_name)
            let flags = CInt(bitPattern: entry.pointee.ifa_flags)
            let isLoopback = flags & CInt(IFF_LOOPBACK) != 0
            guard wanted == nil ? !isLoopback : wanted == name, flags & CInt(IFF_UP) != 0,
                isLoopback || flags & CInt(IFF_MULTICAST) != 0, let address = entry.pointee.ifa_addr
            else { continue }
            let place =
                found.firstIndex { $0.name == name }
                ?? {
                    found.append(
                        NetworkInterface(
                            name: name, index: if_nametoindex(name),
                            hardwareAddress: [UInt8](repeating: 0, count: 6), networks: []))
                    return found.count - 1
                }()
            found[place].add(UnsafeRawPointer(address), mask: entry.pointee.ifa_netmask.map { UnsafeRawPointer($0) })
        }
        return found.filter { !$0.networks.isEmpty }
    }

    private mutating func add(_ address: UnsafeRawPointer, mask: UnsafeRawPointer?) {
        let family = CInt(address.load(as: sa_family_t.self))
        func octets(_ pointer: UnsafeRawPointer, _ range: Range<Int>) -> [UInt8] {
            range.map { pointer.load(fromByteOffset: $0, as: UInt8.self) }
        }
        switch family {
        // struct sockaddr_ll: the address stands behind family, protocol, interface, type, packet type and length.
        case AF_PACKET: if octets(address, 11..<12) == [6] { hardwareAddress = octets(address, 12..<18) }
        case AF_INET, AF_INET6:
            let range = family == AF_INET ? 4..<8 : 8..<24
            guard let own = HostAddress(octets(address, range)) else { return }
            let prefix = mask.map { octets($0, range).reduce(0) { $0 + $1.nonzeroBitCount } } ?? own.octets.count * 8
            networks.append(HostNetwork(own, prefix: prefix))
        default: break
        }
    }
}
