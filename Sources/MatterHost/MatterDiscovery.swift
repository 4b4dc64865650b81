// SPDX-License-Identifier: Apache-2.0

import Crypto
public import MatterNode
public import MulticastDNS
public import Timekeeping

/// Multicast DNS of a node on its interfaces: a responder for each interface and address family.
public final class MatterDiscovery {
    private struct Place {
        var interface: NetworkInterface
        var responder: MDNSResponder
        let socket: DatagramSocket
    }

    /// The time between looks at the interfaces' addresses: an address that comes late is told then.
    private static let refreshTime = Duration.seconds(5)
    /// The lifetime of all records, in seconds: that of a host's, since a node can go at any time.
    private static let lifetime: UInt32 = 120

    private let host: String
    private let port: UInt16
    private let wanted: String?
    private var places: [Place] = []
    private var services: [MDNSService] = []
    private var random = SystemRandomSource()
    private var refreshDue: Instant

    /// Sockets on all interfaces, or on the one with this name.
    ///
    /// - Parameter port: the port of the services.
    /// - Throws: `NetworkFault` if there is no such interface, or the port of multicast DNS cannot be used.
    public init(host: String, port: UInt16, interface: String?, at now: Instant) throws(NetworkFault) {
        self.host = host
        self.port = port
        wanted = interface
        refreshDue = now + MatterDiscovery.refreshTime
        let interfaces = NetworkInterface.all(named: interface)
        if interfaces.isEmpty {
            let what = interface.map { "interface \($0) has no address" } ?? "no interface has an address"
            throw NetworkFault(text: "\(what); name one that is up with --interface, as ip address lists them")
        }
        for interface in interfaces {
            for group in [MDNSPeer.everybodyIPv6, .everybody] {
                let isIPv6 = group.address.isIPv6
                guard interface.networks.contains(where: { $0.address.isIPv6 == isIPv6 }) else { continue }
                let socket = try DatagramSocket(isIPv6: isIPv6, port: MDNSPeer.port, isShared: true)
                guard socket.join(group.address, on: interface.index),
                    let responder = MDNSResponder(describe(interface), [], in: group)
                else { continue }
                places.append(Place(interface: interface, responder: responder, socket: socket))
            }
        }
    }

    /// The names of the interfaces.
    public var interfaces: [String] {
        places.map(\.interface.name).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The addresses of the interfaces, each once.
    public var addresses: [HostAddress] {
        places.flatMap(\.interface.networks).map(\.address).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The first interface.
    public var first: NetworkInterface? { places.first?.interface }

    /// The descriptors to watch.
    public var descriptors: [CInt] { places.map(\.socket.descriptor) }

    private func describe(_ interface: NetworkInterface) -> MDNSHost {
        MDNSHost(name: host, networks: interface.networks, isProbed: false)
    }

    // MARK: - Inputs

    /// Starts with nothing on offer.
    public func begin(at now: Instant) {
        for index in places.indices { places[index].responder.begin(at: now, &random) }
        pump()
    }

    /// Offers the services of an advertisement, in place of all before; nil for none.
    public func offer(_ advertisement: MatterAdvertisement?, at now: Instant) {
        services = advertisement.map { MatterDiscovery.services($0, port: port) } ?? []
        for index in places.indices {
            places[index].responder.offer(describe(places[index].interface), services, at: now)
        }
        pump()
    }

    /// Reads a descriptor; false if it is not one of these.
    public func ready(_ descriptor: CInt, at now: Instant) -> Bool {
        guard let index = places.firstIndex(where: { $0.socket.descriptor == descriptor }) else { return false }
        // Bounded, so that a flood leaves time for the node.
        for _ in 0..<64 {
            guard let datagram = places[index].socket.receive() else { break }
            // The sockets of all interfaces receive what is sent to the port.
            guard datagram.scope == 0 || datagram.scope == places[index].interface.index,
                let address = HostAddress(datagram.address)
            else { continue }
            let peer = MDNSPeer(address: address, port: datagram.port)
            places[index].responder.receive(datagram.octets.span, from: peer, at: now, &random)
        }
        pump()
        return true
    }

    /// The time of the next call of `advance`.
    public var deadline: Instant {
        places.compactMap(\.responder.deadline).reduce(refreshDue) { min($0, $1) }
    }

    /// Performs the actions due.
    public func advance(to now: Instant) {
        if refreshDue <= now { refresh(at: now) }
        for index in places.indices { places[index].responder.advance(to: now) }
        pump()
    }

    /// Says goodbye.
    public func end() {
        for index in places.indices { places[index].responder.end() }
        pump()
    }

    private func refresh(at now: Instant) {
        refreshDue = now + MatterDiscovery.refreshTime
        for interface in NetworkInterface.all(named: wanted) {
            for index in places.indices
            where places[index].interface.name == interface.name && places[index].interface != interface {
                places[index].interface = interface
                places[index].responder.offer(describe(interface), services, at: now)
            }
        }
    }

    private func pump() {
        for index in places.indices {
            while let packet = places[index].responder.nextPacket() {
                let scope = packet.peer.address.isIPv6 ? places[index].interface.index : 0
                places[index].socket.send(
                    packet.octets, to: packet.peer.address.octets, port: packet.peer.port, scope: scope)
            }
            while places[index].responder.nextEvent() != nil {}
        }
    }

    // MARK: - Services

    /// The services of an advertisement (Matter Core 4.3).
    public static func services(_ advertisement: MatterAdvertisement, port: UInt16) -> [MDNSService] {
        func text(_ pairs: [(key: String, value: String)]) -> [String] { pairs.map { "\($0.key)=\($0.value)" } }
        var services = advertisement.operational.map { operational in
            MDNSService(
                instance: operational.instanceName, type: ["_matter", "_tcp"], subtypes: [operational.subtype],
                port: port, text: text(operational.text), lifetime: lifetime, isProbed: false)
        }
        if let commissionable = advertisement.commissionable {
            services.append(
                MDNSService(
                    instance: commissionable.instanceName, type: ["_matterc", "_udp"],
                    subtypes: commissionable.subtypes, port: port, text: text(commissionable.text),
                    lifetime: lifetime, isProbed: false))
        }
        return services
    }
}
