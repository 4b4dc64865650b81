// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping
import VirtualRadio

/// A scenario whose phones are elsewhere: a relay's radio stands at the reader, and what it receives and sends takes a
/// time each way to and from the phone.
///
/// The radio relays link by link, as a link-layer relay does: the reader measures the relay's level, and each packet of
/// the phone comes later by the way there and back.
final class RelayedSite {
    private struct Packet {
        var arrives: Instant
        var octets: [UInt8]
    }

    private let site: LiveSite
    private let air: Air
    private let controllers: [VirtualController]
    private let delay: Duration
    /// The packets under way to each party's host and to its controller, oldest first.
    private var toHost: [[Packet]]
    private var toController: [[Packet]]
    private var now = Instant.origin

    /// - Throws: only if the cryptographic library rejects the keys.
    init(_ scenario: SiteScenario, seed: UInt64, delay: Duration) throws {
        site = try LiveSite(scenario, seed: seed)
        let air = Air(seed: seed)
        self.air = air
        self.delay = delay
        controllers = site.names.enumerated().map { index, name in
            let address = BluetoothAddress(kind: .public, value: 0xD0_0000_0001 + UInt64(index))
            return air.addController(.modern, address: address, stream: name)
        }
        toHost = controllers.map { _ in [] }
        toController = toHost
    }

    /// Plays it to its end.
    func play() -> SiteRun? {
        site.advance(to: now)
        while site.run == nil {
            executeOrders()
            if !carry() {
                let arrivals = (toHost + toController).compactMap(\.first?.arrives)
                guard let next = (arrivals + [air.nextDeadline, site.nextDeadline].compactMap(\.self)).min() else {
                    return nil
                }
                now = max(now, next)
                air.advance(to: now)
            }
            site.advance(to: now)
        }
        return site.run
    }

    private func executeOrders() {
        let readers = controllers.count - site.phoneCount
        while let reception = site.nextReception() {
            let (reader, phone) = (controllers[reception.reader], controllers[readers + reception.phone])
            for (from, to) in [(reader, phone), (phone, reader)] {
                air.setRSSI(from: from, to: to, dBm: reception.dBm)
                air.setLoss(from: from, to: to, share: Double(reception.lossPercent) / 100)
            }
        }
    }

    /// Moves the packets that are due; true if there were any.
    private func carry() -> Bool {
        var moves = false
        for (party, controller) in controllers.enumerated() {
            let isRelayed = party >= controllers.count - site.phoneCount
            let arrives = now + (isRelayed ? delay : .zero)
            while let octets = site.nextPacket(of: party) {
                toController[party].append(Packet(arrives: arrives, octets: octets))
            }
            while let packet = toController[party].first, packet.arrives <= now {
                toController[party].removeFirst()
                controller.receive(packet.octets.span)
                moves = true
            }
            var octets: [UInt8] = []
            while controller.popPacket(into: &octets) { toHost[party].append(Packet(arrives: arrives, octets: octets)) }
            while let packet = toHost[party].first, packet.arrives <= now {
                toHost[party].removeFirst()
                site.receive(packet.octets, for: party)
                moves = true
            }
        }
        return moves
    }
}
