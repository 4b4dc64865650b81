// SPDX-License-Identifier: Apache-2.0

import Logging
import MatterHost
import MatterNode
import MatterSession
import MulticastDNS
import Octets
import System
import Timekeeping

/// The lock's network: the UDP port of Matter, and multicast DNS on the interfaces, which may appear later.
final class LockNetwork {
    /// The maximum number of datagrams read at once, so that a flood leaves time for the reader's messages.
    private static let datagramsAtOnce = 64

    private let socket: DatagramSocket
    private let discovery: MatterDiscovery
    private let reactor: Reactor
    private let log: Logger
    /// Called after the addresses have changed, and after each input of multicast DNS.
    private let moved: (_ hasNewAddresses: Bool) -> Void
    private var socketWatch: Watch?
    private var watches: [Watch] = []

    /// Opens the port, and follows the interfaces. Calls `receive` with each datagram and the longest time that it may
    /// have waited.
    init(
        _ options: LockOptions.Run, _ label: LockLabel, _ reactor: Reactor, _ log: Logger,
        receive: @escaping ([UInt8], TransportPeer, _ age: Duration) -> Void,
        moved: @escaping (_ hasNewAddresses: Bool) -> Void
    ) throws(LockProgram.Failure) {
        self.reactor = reactor
        self.log = log
        self.moved = moved
        let host = Hexadecimal.text(label.identity.prefix(8), uppercase: true)
        do {
            socket = try DatagramSocket(isIPv6: true, port: options.port, takesIPv4: true)
            discovery = try MatterDiscovery(
                host: host, port: socket.port, interface: options.interface, at: reactor.now)
            socketWatch = try reactor.watch(socket.descriptor, .readable) { [weak self] _ in self?.read(receive) }
            for descriptor in discovery.descriptors {
                watches.append(
                    try reactor.watch(descriptor, .readable) { [weak self] _ in
                        guard let self else { return }
                        _ = discovery.ready(descriptor, at: reactor.now)
                        moved(reportChange())
                    })
            }
        } catch {
            throw .failed("\(error)")
        }
        _ = reportChange()
    }

    private func read(_ receive: ([UInt8], TransportPeer, Duration) -> Void) {
        for _ in 0..<LockNetwork.datagramsAtOnce {
            guard let datagram = socket.receive() else {
                socketWatch?.drained()
                return
            }
            guard datagram.address.count == 16 else { continue }
            let address = InlineArray<16, UInt8> { datagram.address[$0] }
            let peer = UDPPeer(address: address, port: datagram.port, scope: datagram.scope)
            receive(datagram.octets, .udp(peer), reactor.inputAge)
        }
    }

    /// Logs a change of the interfaces; false if nothing has changed.
    private func reportChange() -> Bool {
        guard discovery.takeChange() else { return false }
        log.notice("Matter on UDP port \(socket.port), \(discovery.text)")
        return true
    }

    /// The network for Network Commissioning of a lock without Wi-Fi.
    var kind: MatterConfiguration.Network {
        // Network Commissioning does not permit an empty name (Matter Core 11.9.5.3).
        .ethernet(
            name: discovery.first?.name ?? "none", address: discovery.first?.hardwareAddress ?? [0, 0, 0, 0, 0, 0])
    }

    /// The addresses of the interfaces: 4 and 16 octets each.
    var addresses: (ipv4: [[UInt8]], ipv6: [[UInt8]]) {
        let all = discovery.addresses
        return (all.filter { !$0.isIPv6 }.map(\.octets), all.filter(\.isIPv6).map(\.octets))
    }

    /// The time of the next call of `advance`.
    var deadline: Instant { discovery.deadline }

    /// Performs the actions due.
    func advance() {
        discovery.advance(to: reactor.now)
        if reportChange() { moved(true) }
    }

    // MARK: - Sending

    /// Sends a datagram.
    func send(_ octets: [UInt8], to peer: UDPPeer) {
        socket.send(octets, to: peer.address.indices.map { peer.address[$0] }, port: peer.port, scope: peer.scope)
    }

    /// Offers the node on the network, and replaces the previous offer.
    func offer(_ advertisement: MatterAdvertisement) { discovery.offer(advertisement, at: reactor.now) }

    /// Withdraws the node from the network.
    func end() { discovery.end() }
}
