// SPDX-License-Identifier: Apache-2.0

import Logging
import MatterHost
import MatterNode
import MatterSession
import MulticastDNS
import Octets
import System
import Timekeeping

/// The lock's network: the UDP port of Matter, and multicast DNS. Without an interface that has an address it waits for
/// one.
final class LockNetwork {
    /// The maximum number of datagrams read at once: a flood leaves time for the reader's messages.
    private static let datagramsAtOnce = 64
    /// The time between looks for an interface, and between an address and its use.
    private static let retry = Duration.seconds(5)
    private static let settling = Duration.seconds(1)

    private let socket: DatagramSocket
    private let host: String
    private let interface: String?
    private let reactor: Reactor
    private let log: Logger
    private let moved: () -> Void
    private var discovery: MatterDiscovery?
    private var advertisement: MatterAdvertisement?
    private var socketWatch: Watch?
    private var watches: [Watch] = []
    /// The time at which the interfaces are looked at anew; nil for none.
    private var lookDue: Instant?
    private var isToldMissing = false

    /// Opens the port and the interfaces. Calls `receive` with each datagram, and `moved` after multicast DNS was read.
    init(
        _ options: LockOptions.Run, _ label: LockLabel, _ reactor: Reactor, _ log: Logger,
        receive: @escaping ([UInt8], TransportPeer, _ age: Duration) -> Void, moved: @escaping () -> Void
    ) throws(LockProgram.Failure) {
        self.reactor = reactor
        self.log = log
        self.moved = moved
        host = Hexadecimal.text(label.identity.prefix(8), uppercase: true)
        interface = options.interface
        do {
            socket = try DatagramSocket(isIPv6: true, port: options.port, takesIPv4: true)
            socketWatch = try reactor.watch(socket.descriptor, .readable) { [weak self] _ in self?.read(receive) }
        } catch {
            throw .failed("\(error)")
        }
        open()
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

    // MARK: - Interfaces

    /// Opens multicast DNS on the interfaces that there are now.
    private func open() {
        close()
        let now = reactor.now
        lookDue = nil
        do {
            let discovery = try MatterDiscovery(host: host, port: socket.port, interface: interface, at: now)
            for descriptor in discovery.descriptors {
                watches.append(
                    try reactor.watch(descriptor, .readable) { [weak self] _ in
                        guard let self else { return }
                        _ = discovery.ready(descriptor, at: reactor.now)
                        moved()
                    })
            }
            discovery.begin(at: now)
            discovery.offer(advertisement, at: now)
            self.discovery = discovery
            isToldMissing = false
            log.notice("Matter on UDP port \(socket.port), \(discovery.interfaces.joined(separator: ", "))")
        } catch {
            close()
            if !isToldMissing { log.warning("\(error)") }
            isToldMissing = true
            lookDue = now + LockNetwork.retry
        }
    }

    private func close() {
        for watch in watches { watch.cancel() }
        watches.removeAll()
        discovery = nil
    }

    /// Looks at the interfaces anew, as soon as one that was joined has its address.
    func look() { lookDue = reactor.now + LockNetwork.settling }

    /// The network for Network Commissioning of a lock without Wi-Fi.
    var kind: MatterConfiguration.Network {
        .ethernet(
            name: discovery?.first?.name ?? "", address: discovery?.first?.hardwareAddress ?? [0, 0, 0, 0, 0, 0])
    }

    /// The addresses of the interfaces: 4 and 16 octets each.
    var addresses: (ipv4: [[UInt8]], ipv6: [[UInt8]]) {
        let all = discovery?.addresses ?? []
        return (all.filter { !$0.isIPv6 }.map(\.octets), all.filter(\.isIPv6).map(\.octets))
    }

    /// The time of the next call of `advance`.
    var deadline: Instant? { Instant.earlier(lookDue, discovery?.deadline) }

    /// Performs the actions due.
    func advance() {
        if let due = lookDue, due <= reactor.now { open() }
        discovery?.advance(to: reactor.now)
    }

    // MARK: - Sending

    /// Sends a datagram.
    func send(_ octets: [UInt8], to peer: UDPPeer) {
        socket.send(octets, to: peer.address.indices.map { peer.address[$0] }, port: peer.port, scope: peer.scope)
    }

    /// Offers the node on the network, in place of all before.
    func offer(_ advertisement: MatterAdvertisement) {
        self.advertisement = advertisement
        discovery?.offer(advertisement, at: reactor.now)
    }

    /// Says goodbye.
    func end() { discovery?.end() }
}
