// SPDX-License-Identifier: Apache-2.0

import Commands
import Crypto
import Devices
import Emulation
import Glibc
import MatterFaults
import MatterHost
import MatterNode
import MatterSession
import MulticastDNS
import System
import Timekeeping
import WiFi
import WiFiStation

/// An emulated Matter node with its environment: sockets, simulated Wi-Fi, Bluetooth links, and a timeline.
///
/// It reads the monotonic clock itself; the loop calls it when a descriptor is ready, at its deadline, and for the
/// radio's events.
final class MatterEmulation {
    /// The duration of fast advertising at the beginning, and the two intervals (Matter Core 5.4.2.5.3).
    private static let fastTime = Duration.seconds(30)
    private static let fastInterval = Duration.milliseconds(30)
    private static let slowInterval = Duration.milliseconds(160)

    /// The longest wait for input. Messages are judged by the longest time that they may have waited, which is up to
    /// twice this value in an idle program.
    static let longestWait = Duration.milliseconds(100)

    /// The Bluetooth advertising that the node wants.
    struct BluetoothAdvertisement: Equatable {
        /// The octets after the UUID; nil to stop advertising.
        var serviceData: [UInt8]?
        var interval: Duration
    }

    let device: MatterDeviceKind
    let codes: [String]
    private(set) var node: MatterNode
    private(set) var station: SimulatedWiFi?
    private let accessPoints: [WiFiSimulation.AccessPoint]
    private let socket: DatagramSocket
    private let discovery: MatterDiscovery
    private let files: MatterStateFiles?
    var links = MatterLinks()
    var timeline: Timeline
    var review: MatterReview
    var repeats = MatterRepeats()
    var battery = BatteryState()
    private(set) var faults: [MatterFault] = []
    private var advertisement: MatterAdvertisement?
    private var slowsDown: Instant?
    private var schedule: CommandSchedule<MatterCommand>
    private let start: Instant
    private var wasOnNetwork = false
    private(set) var bluetooth = BluetoothAdvertisement(interval: fastInterval)
    /// Called when a command ends the emulation.
    var quit: () -> Void = {}

    init(
        _ node: MatterNode, _ settings: MatterSettings, socket: DatagramSocket, discovery: MatterDiscovery,
        scenario: MatterScenario
    ) {
        self.node = node
        device = settings.device
        codes = settings.codeLines
        station = settings.simulation.map { SimulatedWiFi($0) }
        accessPoints = settings.simulation?.accessPoints ?? []
        self.socket = socket
        self.discovery = discovery
        files = settings.files
        review = MatterReview(settings.attestation)
        start = MonotonicClock.now
        schedule = CommandSchedule(scenario.events, start: start)
        timeline = Timeline(start: start, expectations: [AppExpectations()])
        // The faults of these sets are outside the certificates.
        switch settings.attestation {
        case .elementsNonce: faults = [.badAttestationNonce]
        case .requestSignature: faults = [.badCSRSignature]
        default: break
        }
        applyFaults()
    }

    /// The monotonic and the wall clock.
    static var now: Moment { Moment(instant: MonotonicClock.now, epochSeconds: Int64(time(nil))) }

    /// The descriptors to be watched.
    var descriptors: [CInt] { [socket.descriptor] + discovery.descriptors }

    /// True if the node can be reached over IP.
    private var isOnNetwork: Bool {
        guard let station else { return true }
        return (try? station.status().state) == .connected
    }

    // MARK: - Inputs

    /// Starts the node, and performs its first effects.
    func begin() {
        // The program prints the interfaces at the start as facts.
        if !discovery.interfaces.isEmpty { _ = discovery.takeChange() }
        followInterfaces()
        settle()
    }

    /// Reads a descriptor. Returns true if all of it was read.
    ///
    /// - Parameter age: the longest time that the input may have waited.
    func ready(_ descriptor: CInt, age: Duration) -> Bool {
        let now = MatterEmulation.now
        if descriptor != socket.descriptor {
            _ = discovery.ready(descriptor, at: now.instant)
            followInterfaces()
            return false
        }
        // Bounded, so that a flood of datagrams does not starve other descriptors.
        for _ in 0..<64 {
            guard let datagram = socket.receive() else { return true }
            guard isOnNetwork, datagram.address.count == 16 else { continue }
            let address = InlineArray<16, UInt8> { datagram.address[$0] }
            let peer = UDPPeer(address: address, port: datagram.port, scope: datagram.scope)
            node.receive(datagram.octets, from: .udp(peer), at: now, age: age)
            settle()
        }
        return false
    }

    /// The time of the next call of `advance`.
    var deadline: Instant? {
        [
            node.deadline, station?.deadline, links.deadline, discovery.deadline, timeline.deadline, repeats.deadline,
            schedule.deadline, slowsDown,
        ].compactMap(\.self).min()
    }

    /// Performs the due actions.
    func advance() {
        let now = MatterEmulation.now
        while let command = schedule.next(at: now.instant) {
            var text: String?
            do throws(CommandFault) { text = try execute(command).first } catch { text = error.description }
            timeline.add(.command(text ?? "", isTyped: false), device: nil, at: now.instant)
        }
        station?.advance(to: now.instant)
        links.advance(to: now.instant)
        discovery.advance(to: now.instant)
        followInterfaces()
        node.advance(to: now)
        timeline.advance(to: now.instant)
        for text in repeats.advance(to: now.instant) { report(.device(text)) }
        if let slowsDown, slowsDown <= now.instant {
            self.slowsDown = nil
            bluetooth.interval = MatterEmulation.slowInterval
        }
        settle()
    }

    /// Handles the end of a Bluetooth link.
    func linkEnded(_ link: UInt16) {
        links.ended(link)
        node.linkLost(.ble(link: link), at: MatterEmulation.now)
        settle()
    }

    /// Withdraws the announcements of the node, and reports the remaining repeated events.
    func end() {
        discovery.end()
        for text in repeats.finish() { report(.device(text)) }
    }

    /// Changes the node on behalf of the user.
    func act(_ body: (inout MatterNode, Moment) -> Void) {
        body(&node, MatterEmulation.now)
        settle()
    }

    /// Removes or restores the access points; false for a node without Wi-Fi.
    func setWiFi(isUp: Bool) -> Bool {
        guard station != nil else { return false }
        station?.simulation.accessPoints = isUp ? accessPoints : []
        if !isUp { station?.drop() }
        settle()
        return true
    }

    /// Replaces the faults.
    func inject(_ faults: [MatterFault]) {
        self.faults = faults
        applyFaults()
        settle()
    }

    private func applyFaults() { node.faults = faults.reduce(into: MatterFaults()) { $1.apply(to: &$0) } }

    // MARK: - Effects

    /// Performs all effects of the inputs.
    func settle() {
        var isBusy = true
        while isBusy {
            isBusy = false
            while let effect = node.nextEffect() {
                isBusy = true
                perform(effect)
            }
            while let event = station?.nextEvent() {
                isBusy = true
                node.receive(event, at: MatterEmulation.now)
            }
            for event in links.takeEvents() {
                isBusy = true
                receive(event)
            }
        }
        guard isOnNetwork != wasOnNetwork else { return }
        wasOnNetwork = isOnNetwork
        tellAddresses()
        offer()
        settle()
    }

    private func receive(_ event: MatterLinks.Event) {
        switch event {
        case .message(let octets, let link): node.receive(octets, from: .ble(link: link), at: MatterEmulation.now)
        case .fault(let fault, let link):
            report(.device("BTP: the link is closed: \(fault)"), link: UInt32(link))
        }
    }

    private func perform(_ effect: MatterEffect) {
        let now = MatterEmulation.now
        switch effect {
        case .send(let octets, .udp(let peer)):
            guard isOnNetwork else { break }
            let address = peer.address.indices.map { peer.address[$0] }
            socket.send(octets, to: address, port: peer.port, scope: peer.scope)
        case .send(let octets, .ble(let link)): links.send(octets, to: link, at: now.instant)
        case .advertise(let advertisement):
            self.advertisement = advertisement
            advertiseOverBluetooth(at: now.instant)
            offer()
        case .persist(let octets, let document): store(octets, document)
        case .scanWiFi(let name):
            request { station throws(WiFiRefusal) in try station.startScan(WiFiScan(name: name), at: now.instant) }
        case .joinWiFi(let join): request { station throws(WiFiRefusal) in try station.join(join, at: now.instant) }
        case .leaveWiFi: request { station throws(WiFiRefusal) in try station.leave(at: now.instant) }
        case .actuate(let actuation): report(.device("device: \(actuation)"))
        // An emulated lock moves itself, keeps its users itself, and its windows belong to its administrators.
        case .order, .openWindow, .aliro, .recordPINs: break
        case .disconnect(.ble(let link)): links.disconnect(link)
        case .disconnect(.udp): break
        case .notice(let notice): receive(notice)
        }
    }

    private func request(_ body: (inout SimulatedWiFi) throws(WiFiRefusal) -> Void) {
        guard var station else { return }
        do throws(WiFiRefusal) { try body(&station) } catch { node.receive(error, at: MatterEmulation.now) }
        self.station = station
    }

    private func store(_ octets: [UInt8], _ document: UInt64) {
        do throws(CommandError) {
            try files?.save(octets)
            node.stored(document, at: MatterEmulation.now)
        } catch {
            report(.device(error.text))
            node.storingFailed(document, at: MatterEmulation.now)
        }
    }

    // MARK: - Discovery

    private func offer() {
        discovery.offer(isOnNetwork ? advertisement : nil, at: MonotonicClock.now)
    }

    /// Reports changes of the kernel's interfaces or their addresses.
    private func followInterfaces() {
        guard discovery.takeChange() else { return }
        report(.device("network: \(discovery.text)"))
        tellAddresses()
        settle()
    }

    private func tellAddresses() {
        let addresses = isOnNetwork ? discovery.addresses : []
        node.receive(
            ipv4: addresses.filter { !$0.isIPv6 }.map(\.octets), ipv6: addresses.filter(\.isIPv6).map(\.octets),
            at: MatterEmulation.now)
    }

    private func advertiseOverBluetooth(at now: Instant) {
        let commissionable = advertisement?.commissionable.flatMap { $0.isOverBluetooth ? $0 : nil }
        guard commissionable?.serviceData != bluetooth.serviceData else { return }
        bluetooth = BluetoothAdvertisement(
            serviceData: commissionable?.serviceData, interval: MatterEmulation.fastInterval)
        slowsDown = commissionable.map { _ in now + MatterEmulation.fastTime }
    }
}
