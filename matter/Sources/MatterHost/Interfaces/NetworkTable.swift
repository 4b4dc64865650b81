// SPDX-License-Identifier: Apache-2.0

import MulticastDNS
import Octets

/// The kernel's interfaces and their addresses according to its messages (rtnetlink(7)), as a value.
///
/// The kernel's answer to a request for all entries creates the table; later notifications change it. Messages are in
/// the machine's octet order, which is little-endian on every supported machine.
public struct NetworkTable: Equatable, Sendable {
    /// The reason why octets are not messages of rtnetlink.
    public enum Fault: Error, Equatable, Sendable {
        /// A message or an attribute exceeds its container.
        case truncated(offset: Int)
        /// More than `linkLimit` interfaces, or `addressLimit` addresses.
        case tooMany
    }

    /// The end of an answer to a request for all entries.
    public enum End: Equatable, Sendable {
        /// All entries were received.
        case complete
        /// The entries changed meanwhile, or the kernel refused. Repeat the request.
        case interrupted
    }

    /// The maximum numbers of entries: a machine with many containers has some hundreds.
    public static let linkLimit = 1024
    /// The maximum number of addresses.
    public static let addressLimit = 4096
    /// The maximum length of an interface's name in octets (IFNAMSIZ).
    private static let nameLimit = 15

    private struct Link: Equatable {
        var name: String
        var flags: UInt32
        var hardwareAddress: [UInt8]
    }

    private struct Address: Hashable {
        var index: UInt32
        var network: HostNetwork
    }

    /// Message types.
    private enum Message {
        static let fault: UInt16 = 2
        static let done: UInt16 = 3
        static let newLink: UInt16 = 16
        static let deleteLink: UInt16 = 17
        static let newAddress: UInt16 = 20
        static let deleteAddress: UInt16 = 21
    }

    /// NLM_F_DUMP_INTR.
    private static let interrupted: UInt16 = 0x10

    /// Flags of interfaces (netdevice(7)).
    private enum LinkFlag {
        static let up: UInt32 = 0x1
        static let loopback: UInt32 = 0x8
        static let running: UInt32 = 0x40
        static let multicast: UInt32 = 0x1000
    }

    /// Addresses that cannot be used: IFA_F_TENTATIVE and IFA_F_DADFAILED. The kernel reports the end of the first.
    private static let unusable: UInt32 = 0x48

    private var links: [UInt32: Link] = [:]
    private var addresses: [Address: UInt32] = [:]
    /// The number of connections of each interface so far, and the connected interfaces.
    private var connections: [UInt32: UInt32] = [:]
    private var connected: Set<UInt32> = []

    /// A table without entries.
    ///
    /// - Parameter former: the replaced table, whose numbers of connections are continued.
    public init(after former: NetworkTable? = nil) {
        connections = former?.connections ?? [:]
        connected = former?.connected ?? []
    }

    /// The interfaces that are up, connected and capable of multicast, by ascending number, including interfaces
    /// without a usable address.
    public var interfaces: [NetworkInterface] {
        links.sorted { $0.key < $1.key }.compactMap { index, link in
            let isLoopback = link.flags & LinkFlag.loopback != 0
            guard connected.contains(index), isLoopback || link.flags & LinkFlag.multicast != 0 else { return nil }
            let own = addresses.filter { $0.key.index == index && $0.value & NetworkTable.unusable == 0 }
            return NetworkInterface(
                name: link.name, index: index, hardwareAddress: link.hardwareAddress, isLoopback: isLoopback,
                connections: connections[index] ?? 0,
                networks: own.keys.map(\.network).sorted { NetworkTable.precedes($0.address, $1.address) })
        }
    }

    private static func precedes(_ left: HostAddress, _ right: HostAddress) -> Bool {
        left.isIPv6 == right.isIPv6
            ? left.octets.lexicographicallyPrecedes(right.octets) : right.isIPv6
    }

    // MARK: - Messages

    /// Handles the messages of one datagram. Returns the end of an answer, if it is among them.
    @discardableResult
    public mutating func receive(_ octets: Span<UInt8>) throws(Fault) -> End? {
        var end: End?
        var offset = 0
        while octets.count - offset >= 16 {
            var cursor = OctetCursor(octets, in: offset..<octets.count)
            do throws(OctetError) {
                let length = Int(try cursor.u32(octets))
                let type = try cursor.u16(octets), flags = try cursor.u16(octets)
                _ = try cursor.consume(8, of: octets)
                guard length >= 16, length <= octets.count - offset else { throw .truncated(offset: offset, needed: 0) }
                let body = OctetCursor(octets, in: offset + 16..<offset + length)
                if flags & NetworkTable.interrupted != 0 { end = .interrupted }
                switch type {
                case Message.done: end = end ?? .complete
                case Message.fault: end = .interrupted
                case Message.newLink, Message.deleteLink: try link(body, octets, isNew: type == Message.newLink)
                case Message.newAddress, Message.deleteAddress:
                    try address(body, octets, isNew: type == Message.newAddress)
                default: break
                }
                // Messages begin at multiples of four.
                offset += (length + 3) & ~3
            } catch {
                throw .truncated(offset: offset)
            }
            if end == .complete { forgetOthers() }
            guard links.count <= NetworkTable.linkLimit, addresses.count <= NetworkTable.addressLimit else {
                throw .tooMany
            }
        }
        return end
    }

    /// Removes the connections of interfaces that no longer exist.
    private mutating func forgetOthers() {
        guard !links.isEmpty else { return }
        connections = connections.filter { links[$0.key] != nil }
        connected = connected.filter { links[$0] != nil }
    }

    /// struct ifinfomsg: family, padding, type (2), number (4), flags (4), change (4).
    private mutating func link(_ body: OctetCursor, _ octets: Span<UInt8>, isNew: Bool) throws(OctetError) {
        var cursor = body
        let family = try cursor.u8(octets)
        _ = try cursor.consume(3, of: octets)
        let index = try cursor.u32(octets), flags = try cursor.u32(octets)
        _ = try cursor.consume(4, of: octets)
        // A bridge reports its ports by the same messages. A port that leaves a bridge still exists.
        guard family == 0 else { return }
        guard isNew else {
            links[index] = nil
            connected.remove(index)
            addresses = addresses.filter { $0.key.index != index }
            return
        }
        if flags & LinkFlag.up == 0 || flags & LinkFlag.running == 0 {
            connected.remove(index)
        } else if connected.insert(index).inserted {
            connections[index, default: 0] += 1
        }
        var link = links[index] ?? Link(name: "", flags: 0, hardwareAddress: [UInt8](repeating: 0, count: 6))
        link.flags = flags
        try NetworkTable.attributes(&cursor, octets) { type, value in
            switch type {
            // IFLA_ADDRESS, IFLA_IFNAME.
            case 1 where value.count == 6: link.hardwareAddress = NetworkTable.copy(octets, value)
            case 3:
                let name = NetworkTable.copy(octets, value).prefix { $0 != 0 }.prefix(NetworkTable.nameLimit)
                link.name = String(decoding: name, as: UTF8.self)
            default: break
            }
        }
        links[index] = link
    }

    /// struct ifaddrmsg: family, prefix, flags, scope, number (4).
    private mutating func address(_ body: OctetCursor, _ octets: Span<UInt8>, isNew: Bool) throws(OctetError) {
        var cursor = body
        let family = try cursor.u8(octets), prefix = try cursor.u8(octets)
        var flags = UInt32(try cursor.u8(octets))
        _ = try cursor.u8(octets)
        let index = try cursor.u32(octets)
        var peer: HostAddress?, own: HostAddress?
        try NetworkTable.attributes(&cursor, octets) { type, value in
            switch type {
            // IFA_ADDRESS, the other end on a point-to-point link; IFA_LOCAL; IFA_FLAGS with the upper ones.
            case 1: peer = HostAddress(NetworkTable.copy(octets, value))
            case 2: own = HostAddress(NetworkTable.copy(octets, value))
            case 8 where value.count == 4:
                flags = NetworkTable.copy(octets, value).reversed().reduce(0) { $0 << 8 | UInt32($1) }
            default: break
            }
        }
        // AF_INET and AF_INET6.
        guard let address = own ?? peer, family == (address.isIPv6 ? 10 : 2) else { return }
        let key = Address(index: index, network: HostNetwork(address, prefix: Int(prefix)))
        addresses[key] = isNew ? flags : nil
    }

    /// Attributes: length with this header (2), type (2), value, padding to a multiple of four.
    private static func attributes(
        _ cursor: inout OctetCursor, _ octets: Span<UInt8>, _ body: (UInt16, Range<Int>) -> Void
    ) throws(OctetError) {
        while cursor.remaining >= 4 {
            let length = Int(try cursor.u16(octets))
            // Without the flags NLA_F_NESTED and NLA_F_NET_BYTEORDER.
            let type = try cursor.u16(octets) & 0x3FFF
            guard length >= 4 else { throw .truncated(offset: cursor.position, needed: 4 - length) }
            body(type, try cursor.consume(length - 4, of: octets))
            _ = try cursor.consume(min((4 - length & 3) & 3, cursor.remaining), of: octets)
        }
    }

    private static func copy(_ octets: Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
        range.map { octets[$0] }
    }
}
