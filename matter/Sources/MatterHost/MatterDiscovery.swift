// SPDX-License-Identifier: Apache-2.0

import Crypto
public import MatterNode
public import MulticastDNS
public import Timekeeping

/// Multicast DNS of a node on the interfaces of its host: a responder for each interface and address family.
///
/// It follows the kernel's interfaces and addresses: new, returning and changed ones are served and announced, and
/// removed ones are withdrawn if they can still be reached.
public final class MatterDiscovery {
    private struct Responder {
        let group: MDNSPeer
        var mdns: MDNSResponder
    }

    private struct Place {
        var interface: NetworkInterface
        var responders: [Responder]
    }

    /// The time between comparisons with the kernel in addition to its notifications.
    private static let comparisonTime = Duration.seconds(30)
    /// The lifetime of all records in seconds, as for a host, since a node can disappear at any time.
    private static let lifetime: UInt32 = 120
    /// The maximum number of datagrams read at once, so that a flood leaves time for the node.
    private static let datagramsAtOnce = 64

    private let host: String
    private let port: UInt16
    private let wanted: String?
    private let follower: NetworkFollower
    private let sockets: [(group: MDNSPeer, socket: DatagramSocket)]
    private var places: [Place] = []
    private var services: [MDNSService] = []
    private var random = SystemRandomSource()
    private var comparisonDue: Instant
    /// True if the served interfaces or their addresses have changed since `takeChange`.
    private var isChanged = true
    /// The reason why no interface is served; nil while one is.
    private var reason: String?

    /// Follows all interfaces but loopback, or only the interface with this name, which may appear later.
    ///
    /// - Parameter port: the port of the services.
    /// - Throws: `NetworkFault` if the port of multicast DNS cannot be used, or the kernel does not report its
    ///   interfaces.
    public init(host: String, port: UInt16, interface: String?, at now: Instant) throws(NetworkFault) {
        self.host = host
        self.port = port
        wanted = interface
        follower = try NetworkFollower()
        comparisonDue = now + MatterDiscovery.comparisonTime
        var sockets: [(group: MDNSPeer, socket: DatagramSocket)] = []
        // The kernel may lack IPv6.
        if let socket = try? DatagramSocket(isIPv6: true, port: MDNSPeer.port, isShared: true) {
            sockets.append((.everybodyIPv6, socket))
        }
        sockets.append((.everybody, try DatagramSocket(isIPv6: false, port: MDNSPeer.port, isShared: true)))
        self.sockets = sockets
        for (_, socket) in sockets { socket.prepareMulticast() }
        follow(at: now)
    }

    // MARK: - Questions

    /// The served interfaces with their addresses.
    public var interfaces: [NetworkInterface] { places.map(\.interface) }

    /// The addresses of the served interfaces, each once.
    public var addresses: [HostAddress] {
        places.flatMap(\.interface.networks).map(\.address).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }

    /// The first served interface, or the first that will be served once it has an address.
    public var first: NetworkInterface? { interfaces.first ?? candidates.first }

    /// The served interfaces for people, or the reason why no interface is served.
    public var text: String {
        guard places.isEmpty else { return interfaces.map(\.text).joined(separator: ", ") }
        guard let wanted else { return "no interface has an address yet" }
        return candidates.isEmpty ? "there is no interface \(wanted) that is up yet" : "\(wanted) has no address yet"
    }

    /// The descriptors to watch.
    public var descriptors: [CInt] { sockets.map(\.socket.descriptor) + [follower.descriptor] }

    /// True once for each change of the served interfaces and their addresses, or of the reason why none is served, and
    /// at the start.
    public func takeChange() -> Bool {
        defer { isChanged = false }
        return isChanged
    }

    // MARK: - Inputs

    /// Offers the services of an advertisement, and replaces the previous offer; nil withdraws all services.
    public func offer(_ advertisement: MatterAdvertisement?, at now: Instant) {
        services = advertisement.map { MatterDiscovery.services($0, port: port) } ?? []
        for place in places.indices {
            for index in places[place].responders.indices {
                places[place].responders[index].mdns.offer(describe(places[place].interface), services, at: now)
            }
        }
        pump()
    }

    /// Reads a descriptor; false if it is not in `descriptors`.
    public func ready(_ descriptor: CInt, at now: Instant) -> Bool {
        if descriptor == follower.descriptor {
            if follower.ready() { follow(at: now) }
            return true
        }
        guard let (group, socket) = sockets.first(where: { $0.socket.descriptor == descriptor }) else { return false }
        for _ in 0..<MatterDiscovery.datagramsAtOnce {
            guard let datagram = socket.receive() else { break }
            guard let address = HostAddress(datagram.address),
                let place = places.firstIndex(where: { $0.interface.index == datagram.interface }),
                let index = places[place].responders.firstIndex(where: { $0.group == group })
            else { continue }
            let peer = MDNSPeer(address: address, port: datagram.port)
            places[place].responders[index].mdns.receive(datagram.octets.span, from: peer, at: now, &random)
        }
        pump()
        return true
    }

    /// The time of the next call of `advance`.
    public var deadline: Instant {
        places.flatMap(\.responders).compactMap(\.mdns.deadline).reduce(comparisonDue) { min($0, $1) }
    }

    /// Performs the actions due.
    public func advance(to now: Instant) {
        if comparisonDue <= now {
            comparisonDue = now + MatterDiscovery.comparisonTime
            follower.compare()
            follower.ready()
            follow(at: now)
        }
        for place in places.indices {
            for index in places[place].responders.indices { places[place].responders[index].mdns.advance(to: now) }
        }
        pump()
    }

    /// Withdraws all services.
    public func end() {
        for place in places.indices {
            for index in places[place].responders.indices { places[place].responders[index].mdns.end() }
        }
        pump()
    }

    // MARK: - Interfaces

    /// The interfaces on which the node may be found, with or without an address.
    private var candidates: [NetworkInterface] {
        follower.interfaces.filter { wanted == nil ? !$0.isLoopback : $0.name == wanted }
    }

    /// Serves the interfaces of the kernel, instead of the previous ones.
    private func follow(at now: Instant) {
        let present = candidates.filter { !$0.networks.isEmpty }
        defer { reason = places.isEmpty ? text : nil }
        guard present != interfaces else {
            if places.isEmpty, reason != text { isChanged = true }
            return
        }
        isChanged = true
        for place in places where !present.contains(where: { $0.index == place.interface.index }) { leave(place) }
        places = present.map { interface in
            var place =
                places.first { $0.interface.index == interface.index } ?? Place(interface: interface, responders: [])
            serve(interface, &place, at: now)
            return place
        }
        pump()
    }

    private func leave(_ place: Place) {
        for responder in place.responders { leave(responder, place.interface.index) }
    }

    private func leave(_ responder: Responder, _ index: UInt32) {
        sockets.first { $0.group == responder.group }?.socket.leave(responder.group.address, on: index)
    }

    /// Updates a place to the interface's present addresses. The responder of a family without an address can no longer
    /// send, so the other family's responder withdraws the addresses.
    private func serve(_ interface: NetworkInterface, _ place: inout Place, at now: Instant) {
        // A link that was connected again may lead to another network.
        if place.interface.connections != interface.connections {
            leave(place)
            place.responders = []
        }
        place.interface = interface
        for responder in place.responders where !interface.has(isIPv6: responder.group.address.isIPv6) {
            leave(responder, interface.index)
        }
        place.responders.removeAll { !interface.has(isIPv6: $0.group.address.isIPv6) }
        for index in place.responders.indices {
            place.responders[index].mdns.offer(describe(interface), services, at: now)
        }
        for (group, socket) in sockets {
            guard interface.has(isIPv6: group.address.isIPv6),
                !place.responders.contains(where: { $0.group == group }),
                socket.join(group.address, on: interface.index),
                var mdns = MDNSResponder(describe(interface), services, in: group)
            else { continue }
            mdns.begin(at: now, &random)
            place.responders.append(Responder(group: group, mdns: mdns))
        }
    }

    private func describe(_ interface: NetworkInterface) -> MDNSHost {
        MDNSHost(name: host, networks: interface.networks, isProbed: false)
    }

    // MARK: - Packets

    private func pump() {
        for place in places.indices {
            let number = places[place].interface.index
            for index in places[place].responders.indices {
                let group = places[place].responders[index].group
                guard let socket = sockets.first(where: { $0.group == group })?.socket else { continue }
                while let packet = places[place].responders[index].mdns.nextPacket() {
                    let address = packet.peer.address
                    socket.send(
                        packet.octets, to: address.octets, port: packet.peer.port, scope: address.isIPv6 ? number : 0,
                        by: number)
                }
                while places[place].responders[index].mdns.nextEvent() != nil {}
            }
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
