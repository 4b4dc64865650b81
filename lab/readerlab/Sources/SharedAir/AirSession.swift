// SPDX-License-Identifier: Apache-2.0

import Peripheral
import Timekeeping
import VirtualRadio

/// The air with its places, without I/O: octets of hosts, commands and time in; octets for hosts, answers and notices
/// out.
///
/// Hosts cannot affect each other: queues are bounded, and a host that sends invalid HCI packets or reads none is
/// disconnected. Its controller is then reset, and its place is free.
final class AirSession {
    /// The maximum number of packets queued in a controller for its host. Above half of it, advertising reports are
    /// dropped.
    static let maximumWaiting = 8192
    /// The maximum number of reported violations of one host.
    static let maximumViolations = 100
    /// The pace of reports of refused hosts, of each place.
    static let refusals = TokenBucket.Pace(size: 1, interval: .seconds(1))
    /// The maximum number of walls on the floor plan.
    static let maximumWalls = 1000
    /// The sensitivity in dBm, as usual in receivers.
    static let sensitivity: Int8 = -100
    /// The first public address minus one, from the block for documentation (RFC 7042, 2.1.2).
    private static let addresses: UInt64 = 0x0000_5E00_5300

    /// A place, and the state of its host.
    struct Place {
        let plan: PlacePlan
        let controller: VirtualController
        var framer = H4Framer(receiver: .controller)
        /// True while a host is connected.
        var isTaken = false
        /// The reason to disconnect the host; nil for none.
        var fault: String?
        /// The number of violations by the host.
        var violations = 0
        var refusals = TokenBucket(AirSession.refusals, at: .origin)
        /// The leg of its way on the floor plan; nil while its levels are set.
        var leg: AirLeg?
        var carry = Propagation.Carry.hand
    }

    let air: Air
    var places: [Place]
    /// The walls of the floor plan.
    var walls: [Wall] = []
    /// The observed status of the reader at the first place; nil if it is not observed.
    var status: ReaderStatus?
    /// The places behind the links of that reader, by its number of the link.
    var observedLinks: [String: String] = [:]
    private let start: Instant
    private var notices: [AirNotice] = []
    /// The open links, by their numbers on the air.
    private var links: [UInt64: LinkEntry] = [:]
    private var lastLink = 0

    /// A link with its number in notices.
    private struct LinkEntry {
        /// The number, counted from 1 in the order of connection.
        let number: Int
        var openEnds: Int
    }

    init(_ plans: [PlacePlan], seed: UInt64, start: Instant) {
        let air = Air(seed: seed, start: start)
        air.sensitivity = AirSession.sensitivity
        air.keepsLinkChanges = true
        self.air = air
        self.start = start
        places = plans.enumerated().map { number, plan in
            let address = BluetoothAddress(kind: .public, value: AirSession.addresses + UInt64(number) + 1)
            let controller = air.addController(plan.profile, address: address)
            controller.name = plan.name
            return Place(plan: plan, controller: controller)
        }
        // The first, usually the reader, is where the floor plan begins.
        places[0].leg = AirLeg(at: FloorPoint(0, 0), start)
    }

    /// The names of the places.
    var names: [String] { places.map(\.plan.name) }

    /// The time since the start.
    var elapsed: Duration { air.now - start }

    /// The time of the next event on the air.
    var nextDeadline: Instant? { air.nextDeadline }

    /// Performs the due events of the air.
    func advance(to now: Instant) {
        air.advance(to: now)
        review()
    }

    /// Returns the next notice, or nil.
    func nextNotice() -> AirNotice? { notices.isEmpty ? nil : notices.removeFirst() }

    // MARK: - Hosts

    /// Occupies a place for a host; false if it is occupied.
    func enter(_ number: Int, at now: Instant) -> Bool {
        advance(to: now)
        guard places[number].isTaken else {
            places[number].isTaken = true
            report(.connected, number)
            return true
        }
        if places[number].refusals.admit(at: now) { report(.refused, number) }
        return false
    }

    /// Handles octets from the host of a place. After a fault they are ignored.
    func receive(_ octets: Span<UInt8>, at number: Int, now: Instant) {
        advance(to: now)
        guard places[number].isTaken, places[number].fault == nil else { return }
        let controller = places[number].controller
        do throws(H4Error) {
            try places[number].framer.receive(octets) { controller.receive($0) }
        } catch {
            places[number].fault = "\(error)"
        }
        review()
    }

    /// Returns the reason to disconnect the host of a place, or nil.
    func fault(at number: Int) -> String? { places[number].fault }

    /// Appends packets for the host of a place to `octets` while it is shorter than `room`.
    func takePackets(from number: Int, room: Int, into octets: inout [UInt8]) {
        var packet: [UInt8] = []
        while octets.count < room, places[number].controller.popPacket(into: &packet) {
            octets.append(contentsOf: packet)
        }
    }

    /// Frees a place after its host has disconnected or was disconnected, and resets the controller.
    func leave(_ number: Int, at now: Instant) {
        advance(to: now)
        guard places[number].isTaken else { return }
        places[number].controller.startAnew()
        review()
        places[number].isTaken = false
        report(places[number].fault.map { .cutOff(why: $0) } ?? .left, number)
        places[number].fault = nil
        places[number].violations = 0
        places[number].framer = H4Framer(receiver: .controller)
    }

    // MARK: - Notices

    /// Reports that a place is open for hosts.
    func opened(_ number: Int, hci: String) {
        let place = places[number]
        report(.open(hci: hci, address: place.controller.address, isLegacy: place.plan.isLegacy), number)
    }

    /// Adds a notice about the air as a whole or about a place.
    func report(_ event: AirNotice.Event, _ number: Int? = nil) {
        report(event, at: number.map { places[$0].plan.name })
    }

    /// Adds a notice about the place of this name, which may be that of an NFC field.
    func report(_ event: AirNotice.Event, at place: String?) {
        notices.append(AirNotice(at: elapsed, place: place, event: event))
    }

    /// Reports changes, and detects hosts that read no packets.
    private func review() {
        while let change = air.nextLinkChange() { report(change) }
        for number in places.indices {
            let controller = places[number].controller
            if !controller.violations.isEmpty { tellViolations(controller.takeViolations(), number) }
            if controller.packetCount > AirSession.maximumWaiting, places[number].fault == nil {
                places[number].fault = "\(controller.packetCount) packets wait for it, and it takes none"
            }
        }
    }

    private func report(_ change: LinkChange) {
        switch change {
        case .made(let link, let central, let peripheral, let interval):
            lastLink += 1
            links[link] = LinkEntry(number: lastLink, openEnds: peripheral == nil ? 1 : 2)
            let to = peripheral.map { places[number(of: $0)].plan.name }
            report(.linkMade(lastLink, to: to, interval: interval), number(of: central))
        case .ended(let link, let controller, let reason):
            report(.linkEnded(linkNumber(link), reason: reason), number(of: controller))
            links[link]?.openEnds -= 1
            if links[link]?.openEnds == 0 { links[link] = nil }
        }
    }

    private func tellViolations(_ violations: [String], _ number: Int) {
        for violation in violations {
            places[number].violations += 1
            switch places[number].violations {
            case ...AirSession.maximumViolations: report(.violation(violation), number)
            case AirSession.maximumViolations + 1:
                report(.violationsHidden(after: AirSession.maximumViolations), number)
            default: break
            }
        }
    }

    /// Returns the number of a link in notices.
    func linkNumber(_ link: UInt64) -> Int { links[link]?.number ?? 0 }

    /// Returns the place of a controller of this air.
    func number(of controller: VirtualController) -> Int {
        places.firstIndex { $0.controller === controller } ?? 0
    }
}
