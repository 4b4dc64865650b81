// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
public import MulticastDNS

/// A non-blocking UDP socket.
public final class DatagramSocket {
    /// A received datagram.
    public struct Datagram {
        /// The content.
        public var octets: [UInt8]
        /// The sender's address: 4 or 16 octets.
        public var address: [UInt8]
        /// The sender's port.
        public var port: UInt16
        /// The interface of an IPv6 link-local address; otherwise 0.
        public var scope: UInt32
        /// The interface of arrival, after `prepareMulticast`; otherwise 0.
        public var interface: UInt32
    }

    /// The maximum length of a datagram in octets, of a multicast DNS message (RFC 6762, 17).
    public static let maximumCount = 9000

    /// The descriptor, for a loop's watch.
    public let descriptor: CInt
    private let isIPv6: Bool

    /// A socket on all interfaces.
    ///
    /// - Parameters:
    ///   - port: 0 for any.
    ///   - isShared: true if several processes can use the port.
    ///   - takesIPv4: true if an IPv6 socket also serves IPv4, with mapped addresses.
    /// - Throws: `NetworkFault` if the port cannot be used.
    public init(isIPv6: Bool, port: UInt16, isShared: Bool = false, takesIPv4: Bool = false) throws(NetworkFault) {
        self.isIPv6 = isIPv6
        descriptor = socket(
            isIPv6 ? AF_INET6 : AF_INET, CInt(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw DatagramSocket.fault("cannot make a socket") }
        if isIPv6 { set(CInt(IPPROTO_IPV6), IPV6_V6ONLY, takesIPv4 ? 0 : 1) }
        if isShared {
            set(SOL_SOCKET, SO_REUSEADDR, 1)
            set(SOL_SOCKET, SO_REUSEPORT, 1)
        }
        let any = DatagramSocket.endpoint([UInt8](repeating: 0, count: isIPv6 ? 16 : 4), port, scope: 0)
        let result = any.withUnsafeBytes { octets in
            bind(descriptor, octets.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(octets.count))
        }
        guard result == 0 else {
            let code = errno
            close(descriptor)
            errno = code
            throw DatagramSocket.fault("cannot use UDP port \(port)")
        }
    }

    deinit { close(descriptor) }

    private static func fault(_ what: String) -> NetworkFault {
        NetworkFault(
            text: "\(what): \(String(cString: strerror(errno))); name another with --port, or end the other program")
    }

    // MARK: - Multicast

    /// Prepares the socket for multicast on several interfaces. It receives multicasts only from groups and interfaces
    /// that it has joined, reports the interface of arrival, and sends to hosts of the link only.
    public func prepareMulticast() {
        _ = readerd_report_interfaces(descriptor, isIPv6)
        if isIPv6 {
            set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, 255)
            set(CInt(IPPROTO_IPV6), IPV6_MULTICAST_LOOP, 1)
            // IPV6_MULTICAST_ALL.
            set(CInt(IPPROTO_IPV6), 29, 0)
        } else {
            set(CInt(IPPROTO_IP), IP_MULTICAST_ALL, 0)
            set(CInt(IPPROTO_IP), IP_MULTICAST_TTL, 255)
            set(CInt(IPPROTO_IP), IP_MULTICAST_LOOP, 1)
        }
    }

    /// Joins a multicast group on an interface.
    ///
    /// - Returns: false if the interface does not take part, or if the socket is in too many groups.
    public func join(_ group: HostAddress, on index: UInt32) -> Bool {
        isIPv6
            ? set(CInt(IPPROTO_IPV6), IPV6_JOIN_GROUP, DatagramSocket.membership(group, index))
            : set(CInt(IPPROTO_IP), IP_ADD_MEMBERSHIP, DatagramSocket.membership(group, index))
    }

    /// Leaves a group on an interface, which may no longer exist.
    public func leave(_ group: HostAddress, on index: UInt32) {
        if isIPv6 {
            set(CInt(IPPROTO_IPV6), IPV6_LEAVE_GROUP, DatagramSocket.membership(group, index))
        } else {
            set(CInt(IPPROTO_IP), IP_DROP_MEMBERSHIP, DatagramSocket.membership(group, index))
        }
    }

    /// struct ipv6_mreq: group, interface; struct ip_mreqn: group, address, interface.
    private static func membership(_ group: HostAddress, _ index: UInt32) -> [UInt8] {
        group.octets + (group.isIPv6 ? [] : [0, 0, 0, 0]) + withUnsafeBytes(of: index) { Array($0) }
    }

    private func set(_ level: CInt, _ option: CInt, _ value: CInt) {
        _ = set(level, option, withUnsafeBytes(of: value) { Array($0) })
    }

    @discardableResult
    private func set(_ level: CInt, _ option: CInt, _ value: [UInt8]) -> Bool {
        setsockopt(descriptor, level, option, value, socklen_t(value.count)) == 0
    }

    /// The port.
    public var port: UInt16 {
        var name = [UInt8](repeating: 0, count: 28)
        var count = socklen_t(name.count)
        name.withUnsafeMutableBytes { octets in
            _ = getsockname(descriptor, octets.baseAddress?.assumingMemoryBound(to: sockaddr.self), &count)
        }
        return UInt16(name[2]) << 8 | UInt16(name[3])
    }

    /// The next datagram; nil if no datagram is waiting.
    public func receive() -> Datagram? {
        var octets = [UInt8](repeating: 0, count: DatagramSocket.maximumCount)
        var sender = readerd_endpoint()
        let count = readerd_receive_datagram(descriptor, &octets, octets.count, &sender)
        guard count >= 0 else { return nil }
        octets.removeLast(octets.count - Int(count))
        let address = withUnsafeBytes(of: sender.address) { Array($0.prefix(Int(sender.count))) }
        return Datagram(
            octets: octets, address: address, port: sender.port, scope: sender.scope, interface: sender.interface)
    }

    /// Sends a datagram, through this interface if it is not 0. A datagram that cannot be sent is lost, as it may be on
    /// the network.
    public func send(
        _ octets: [UInt8], to address: [UInt8], port: UInt16, scope: UInt32 = 0, by interface: UInt32 = 0
    ) {
        var receiver = readerd_endpoint()
        receiver.count = UInt32(address.count)
        (receiver.port, receiver.scope, receiver.interface) = (port, scope, interface)
        withUnsafeMutableBytes(of: &receiver.address) { $0.copyBytes(from: address.prefix($0.count)) }
        _ = readerd_send_datagram(descriptor, octets, octets.count, &receiver)
    }

    /// The octets of a sockaddr_in or sockaddr_in6.
    private static func endpoint(_ address: [UInt8], _ port: UInt16, scope: UInt32) -> [UInt8] {
        let isIPv6 = address.count == 16
        let family = withUnsafeBytes(of: sa_family_t(isIPv6 ? AF_INET6 : AF_INET)) { Array($0) }
        let head = family + [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)]
        guard isIPv6 else { return head + address + [UInt8](repeating: 0, count: 8) }
        return head + [0, 0, 0, 0] + address + withUnsafeBytes(of: scope) { Array($0) }
    }
}
