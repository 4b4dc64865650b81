// SPDX-License-Identifier: Apache-2.0

import MatterHost
import MatterNode
import MatterSession
import MulticastDNS
import Octets
import System
import Timekeeping

/// The lock's network: the UDP port of Matter, and multicast DNS.
final class LockNetwork {
    /// The maximum number of datagrams read at once: a flood leaves time for the reader's messages.
    private static let datagramsAtOnce = 64

    private let socket: DatagramSocket
    private let discovery: MatterDiscovery
    private let reactor: Reactor
    private var watches: [Watch] = []

    /// Opens the port and the interfaces. Calls `receive` with each datagram, and `moved` after multicast DNS was read.
    init(
        _ options: LockOptions.Run, _ label: LockLabel, _ reactor: Reactor,
        receive: @escaping ([UInt8], TransportPeer) -> Void, moved: @escaping () -> Void
    ) throws(LockProgram.Failure) {
        self.reactor = reactor
        do {
            socket = try DatagramSocket(isIPv6: true, port: options.port, takesIPv4: true)
            discovery = try MatterDiscovery(
                host: Hexadecimal.text(label.identity.prefix(8), uppercase: true), port: socket.port,
                interface: options.interface, at: reactor.now)
            watches.append(
                try reactor.watch(socket.descriptor, .readable) { [weak self] _ in self?.read(receive) })
            for descriptor in discovery.descriptors {
                watches.append(
                    try reactor.watch(descriptor, .readable) { [weak self] _ in
                        guard let self else { return }
                        _ = discovery.ready(descriptor, at: reactor.now)
                        moved()
                    })
            }
        } catch {
            throw .failed("\(error)")
        }
        discovery.begin(at: reactor.now)
    }

    private func read(_ receive: ([UInt8], TransportPeer) -> Void) {
        for _ in 0..<LockNetwork.datagramsAtOnce {
            guard let datagram = socket.receive() else { return }
            guard datagram.address.count == 16 else { continue }
            let address = InlineArray<16, UInt8> { datagram.address[$0] }
            receive(datagram.octets, .udp(UDPPeer(address: address, port: datagram.port, scope: datagram.scope)))
        }
    }

    /// The port.
    var port: UInt16 { socket.port }

    /// The names of the interfaces.
    var interfaces: String { discovery.interfaces.joined(separator: ", ") }

    /// The network for Network Commissioning.
    var kind: MatterConfiguration.Network {
        .ethernet(
            name: discovery.first?.name ?? "", address: discovery.first?.hardwareAddress ?? [0, 0, 0, 0, 0, 0])
    }

    /// The addresses of the interfaces: 4 and 16 octets each.
    var addresses: (ipv4: [[UInt8]], ipv6: [[UInt8]]) {
        let all = discovery.addresses
        return (all.filter { !$0.isIPv6 }.map(\.octets), all.filter(\.isIPv6).map(\.octets))
    }

    /// The time of the next call of `advance`.
    var deadline: Instant { discovery.deadline }

    /// Performs the actions due.
    func advance() { discovery.advance(to: reactor.now) }

    /// Sends a datagram.
    func send(_ octets: [UInt8], to peer: UDPPeer) {
        socket.send(octets, to: peer.address.indices.map { peer.address[$0] }, port: peer.port, scope: peer.scope)
    }

    /// Offers the node on the network, in place of all before.
    func offer(_ advertisement: MatterAdvertisement) { discovery.offer(advertisement, at: reactor.now) }

    /// Says goodbye.
    func end() { discovery.end() }
}
