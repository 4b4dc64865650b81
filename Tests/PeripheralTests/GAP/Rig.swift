// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Testing
import Timekeeping
import VirtualTime

@testable import Peripheral

/// A host with a scripted controller on the other side, on a clock that the test moves.
class Rig {
    var host: Host
    var controller: ScriptedController
    var now = Instant.origin
    /// The events but those of `advertising`.
    var events: [HostEvent] = []
    /// The states of advertising that the host has reported.
    var advertising: [AdvertisingStatus] = []
    /// True if the controller answers automatically.
    var isAnswering = true
    private var packet: [UInt8] = []

    static let gap = AttributeHandle(rawValue: 3)

    /// With a host that is made already, and is not started.
    init(_ controller: ScriptedController, host: consuming Host, sets: [AdvertisingSet]) {
        self.controller = controller
        self.host = host
        self.host.configure(advertising: sets)
    }

    convenience init(
        _ controller: ScriptedController, sets: [AdvertisingSet] = [], configuration: HostConfiguration = .unverified
    ) throws {
        self.init(controller, host: Host(database: try Rig.database(), configuration: configuration), sets: sets)
    }

    convenience init(_ controller: ScriptedController, devices: [ServedDevice], sets: [AdvertisingSet]) {
        self.init(controller, host: Host(devices: devices, configuration: .unverified), sets: sets)
    }

    /// A rig with links on one advertising set, whose handles begin at 0x40, and their names. Earlier events and
    /// commands are taken.
    static func linked(
        _ controller: ScriptedController, links: Int, configuration: HostConfiguration = .unverified
    ) throws -> (Rig, [LinkID]) {
        let rig = try Rig(controller, sets: [Sample.set(1)], configuration: configuration).started()
        for handle in 0..<links { rig.join(UInt16(0x40 + handle)) }
        let ids = rig.takeEvents().compactMap(\.connectedLink)
        _ = rig.takeCommands()
        return (rig, ids)
    }

    /// GAP service, device name at handle 3; a service with a written (6) and a notified value (8, CCC 9).
    static func database() throws -> AttributeDatabase {
        var builder = DatabaseBuilder()
        builder.addService(BluetoothUUID(0x1800))
        builder.addCharacteristic(
            BluetoothUUID(0x2A00), properties: .read, value: .static(Array("wa0y1YwS".utf8), maximumCount: 8))
        builder.addService(BluetoothUUID(0xFCBA))
        builder.addCharacteristic(
            BluetoothUUID(0x1111), properties: [.write, .writeWithoutResponse], value: .writeOnly)
        builder.addCharacteristic(BluetoothUUID(0x2222), properties: .notify, value: .writeOnly)
        return try builder.build()
    }

    /// Lets host and controller talk until neither has more to say.
    func settle() {
        while true {
            while let event = host.nextEvent() {
                if case .advertising(let status) = event { advertising.append(status) } else { events.append(event) }
            }
            guard host.outbound.popFirst(into: &packet) else { return }
            let answer = controller.receive(packet)
            if isAnswering, let answer { host.receive(answer.span, at: now) }
        }
    }

    /// The length and number of the ACL packets, as last told.
    var aclBuffers: [Int]? {
        for case .ready(let description) in events.reversed() {
            return [description.aclDataLength, description.aclPackets]
        }
        return nil
    }

    /// The host's own, where a macro cannot call a mutating function of a value that is not copied.
    func readRSSI(_ link: LinkID) -> Bool { host.readRSSI(link, at: now) }

    func notify(_ link: LinkID, _ attribute: UInt16, _ value: [UInt8]) -> NotificationOutcome {
        host.notify(link, AttributeHandle(rawValue: attribute), value.span, at: now)
    }

    var nextDeadline: Instant? { host.nextDeadline }

    func onAirAddress(_ set: UInt8) -> BluetoothAddress? { host.onAirAddress(ofSet: set) }

    func nextEvent() -> HostEvent? { host.nextEvent() }

    func mtu(_ link: LinkID) -> Int { host.attMTU(link) }

    /// A packet of the controller.
    func send(_ packet: [UInt8]) {
        host.receive(packet.span, at: now)
        settle()
    }

    /// Has the host do something now, and lets it and the controller talk.
    @discardableResult
    func act<Result>(_ input: (inout Host, Instant) -> Result) -> Result {
        defer { settle() }
        return input(&host, now)
    }

    /// Starts and settles.
    func start() { act { $0.start(at: $1) } }

    /// The rig itself, started.
    func started() -> Self {
        start()
        return self
    }

    /// Moves the clock to `milliseconds`, stopping at every deadline on the way.
    func run(to milliseconds: Double) {
        let end = Instant(nanoseconds: Int64(milliseconds * 1_000_000))
        advance(to: elapse(from: now, to: end, deadline: { host.nextDeadline }, call: advance))
    }

    /// Moves the clock to the next deadline.
    func runToDeadline() {
        guard let deadline = host.nextDeadline else {
            Issue.record("nothing is due")
            return
        }
        advance(to: max(now, deadline))
    }

    private func advance(to time: Instant) {
        now = time
        act { $0.advance(to: $1) }
    }

    /// The commands since the last call, as text.
    func takeCommands() -> [String] { exchange(&controller.commands, with: []).map(hex) }

    /// The opcodes since the last call.
    func takeOpcodes() -> [UInt16] {
        exchange(&controller.commands, with: []).map { UInt16($0[0]) | UInt16($0[1]) << 8 }
    }

    func takeAdvertising() -> [AdvertisingStatus] { exchange(&advertising, with: []) }

    func takeEvents() -> [HostEvent] { exchange(&events, with: []) }

    func takeData() -> [String] { exchange(&controller.data, with: []).map(hex) }

    /// A central connects.
    func connect(_ handle: UInt16, status: UInt8 = 0, role: UInt8 = 1, interval: UInt8 = 24) {
        controller.onAir.remove(ScriptedController.legacySet)
        controller.handles?.insert(handle)
        send(ControllerPacket.connected(handle, status: status, role: role, interval: interval))
    }

    func terminate(set: UInt8, handle: UInt16, status: UInt8 = 0) {
        controller.onAir.remove(set)
        send(ControllerPacket.terminated(handle, set: set, status: status))
    }

    /// A central connects to advertising set `set`.
    func join(_ handle: UInt16 = 0x40, set: UInt8 = 1) {
        connect(handle)
        terminate(set: set, handle: handle)
    }

    /// The link of a central that connects; earlier events are taken.
    func link(_ handle: UInt16 = 0x40, set: UInt8 = 1) throws -> LinkID {
        join(handle, set: set)
        return try #require(takeEvents().compactMap(\.connectedLink).last)
    }

    func disconnected(_ handle: UInt16, reason: UInt8 = 0x13) {
        controller.handles?.remove(handle)
        send(ControllerPacket.disconnected(handle, reason: reason))
    }

    func complete(_ handle: UInt16, _ count: UInt8) { send(ControllerPacket.completed(handle, count)) }

    /// An ATT PDU in one data packet.
    func att(_ handle: UInt16, _ pdu: [UInt8]) { send(ControllerPacket.data(handle, pdu)) }
}

extension HostConfiguration {
    /// The defaults, and no commands but for what a test does.
    static var unverified: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.verificationPeriod = nil
        return configuration
    }
}

/// The packets of a published reader (id `wa0y1YwS`).
enum Sample {
    static let access = octets("0303bafc0dff5e0c0000000000000000000009097761307931597753020ab3")
    static let beacon = octets("0303bafc1aff4c0002153abe6601d90d497588b78e3fe83a687a77613079b3")
    static let scanResponse = octets("14ff5e0c000501003412c3b2a1650000000000000009097761307931597753")

    static func address(_ id: UInt8) -> BluetoothAddress {
        BluetoothAddress(kind: .random, value: 0xC011_2233_4400 | UInt64(id))
    }

    static func set(_ id: UInt8, _ data: [UInt8] = access, milliseconds: Int = 100) -> AdvertisingSet {
        AdvertisingSet(
            id: id, address: address(id), data: data, scanResponse: scanResponse, interval: .milliseconds(milliseconds))
    }
}
