// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Testing
import Timekeeping

@testable import Peripheral

/// A scripted controller: it answers commands, and records all packets.
struct ScriptedController {
    /// Commands in order, without the type octet.
    var commands: [[UInt8]] = []
    /// Data packets in order, with the type octet.
    var data: [[UInt8]] = []
    /// Answers to be given instead of the usual ones: the octets behind the opcode, once each, first come.
    var answers: [UInt16: [[UInt8]]] = [:]
    /// Commands that are never answered.
    var silent: Set<UInt16> = []
    /// Commands that are always refused, with one octet and nothing behind it.
    var refused: [UInt16: UInt8] = [:]
    /// Num_HCI_Command_Packets of every answer.
    var credits: UInt8 = 1
    var supported = [UInt8](repeating: 0, count: 64)
    var leBuffers: [UInt8] = [0xFB, 0x00, 0x08]
    var features: [UInt8] = [0x02, 0, 0, 0, 0, 0, 0, 0]
    var sets: UInt8 = 4
    var rssi: Int8 = -50

    /// Extended advertising, RSSI, data length and connection update.
    static let extended: ScriptedController = {
        var controller = legacy
        controller.supported[36] = 0b1011_1110
        return controller
    }()

    /// RSSI, data length and connection update; no extended advertising.
    static let legacy: ScriptedController = {
        var controller = ScriptedController()
        controller.supported[15] = 0x20
        return controller
    }()

    /// The answer to a packet of the host.
    mutating func receive(_ packet: [UInt8]) -> [UInt8]? {
        guard packet[0] == 0x01 else {
            data.append(packet)
            return nil
        }
        commands.append(Array(packet.dropFirst()))
        let opcode = UInt16(packet[1]) | UInt16(packet[2]) << 8
        guard !silent.contains(opcode) else { return nil }
        if let answer = answers[opcode]?.first {
            answers[opcode]?.removeFirst()
            return complete(opcode, answer)
        }
        if let status = refused[opcode] { return complete(opcode, [status]) }
        switch opcode {
        case 0x0406, 0x2013: return [0x04, 0x0F, 0x04, 0x00, credits, packet[1], packet[2]]
        case 0x1002: return complete(opcode, [0] + supported)
        case 0x1001: return complete(opcode, [0, 0x0D, 1, 0, 0x0D, 0x59, 0x00, 2, 0])
        case 0x2060: return complete(opcode, [0, 27, 0, 3, 0, 0, 0])
        case 0x2007: return complete(opcode, [0, 0x04])
        case 0x2003: return complete(opcode, [0] + features)
        case 0x2002: return complete(opcode, [0] + leBuffers)
        case 0x1005: return complete(opcode, [0, 0x36, 0x01, 0x40, 0x0A, 0x00, 0x08, 0x00])
        case 0x1009: return complete(opcode, [0, 1, 2, 3, 4, 5, 6])
        case 0x203B: return complete(opcode, [0, sets])
        case 0x2036: return complete(opcode, [0, 0x08])
        case 0x1405: return complete(opcode, [0, packet[4], packet[5], UInt8(bitPattern: rssi)])
        case 0x201A, 0x201B, 0x2022: return complete(opcode, [0, packet[4], packet[5]])
        default: return complete(opcode, [0])
        }
    }

    func complete(_ opcode: UInt16, _ returned: [UInt8]) -> [UInt8] {
        [0x04, 0x0E, UInt8(3 + returned.count), credits, UInt8(opcode & 0xFF), UInt8(opcode >> 8)] + returned
    }
}

/// A host with a scripted controller on the other side, on a clock that the test moves.
final class Rig {
    var host: Host
    var controller: ScriptedController
    var now = Instant.origin
    var events: [HostEvent] = []
    /// True if the controller answers automatically.
    var isAnswering = true
    private var packet: [UInt8] = []

    static let gap = AttributeHandle(rawValue: 3)

    init(
        _ controller: ScriptedController, sets: [AdvertisingSet] = [], configuration: HostConfiguration = .init()
    ) throws {
        self.controller = controller
        host = Host(database: try Rig.database(), configuration: configuration)
        host.configure(advertising: sets)
    }

    /// With a host that is made already.
    init(_ controller: ScriptedController, host: consuming Host) {
        self.controller = controller
        self.host = host
    }

    init(
        _ controller: ScriptedController, devices: [ServedDevice], sets: [AdvertisingSet],
        configuration: HostConfiguration = .init()
    ) {
        self.controller = controller
        host = Host(devices: devices, configuration: configuration)
        host.configure(advertising: sets)
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
            while let event = host.nextEvent() { events.append(event) }
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

    /// Starts and settles.
    func start() {
        host.start(at: now)
        settle()
    }

    /// Moves the clock to `milliseconds`, stopping at every deadline on the way.
    func run(to milliseconds: Double) {
        let end = Instant(nanoseconds: Int64(milliseconds * 1_000_000))
        var steps = 0
        while let deadline = host.nextDeadline, deadline <= end {
            now = max(now, deadline)
            host.advance(to: now)
            settle()
            steps += 1
            if steps > 100_000 {
                Issue.record("the host asks to be called again and again at \(now.nanoseconds)")
                return
            }
        }
        now = end
        host.advance(to: now)
        settle()
    }

    /// Moves the clock to the next deadline.
    func runToDeadline() {
        guard let deadline = host.nextDeadline else {
            Issue.record("nothing is due")
            return
        }
        now = max(now, deadline)
        host.advance(to: now)
        settle()
    }

    /// The commands since the last call, as text.
    func takeCommands() -> [String] {
        defer { controller.commands = [] }
        return controller.commands.map(hex)
    }

    /// The opcodes since the last call.
    func takeOpcodes() -> [UInt16] {
        defer { controller.commands = [] }
        return controller.commands.map { UInt16($0[0]) | UInt16($0[1]) << 8 }
    }

    func takeEvents() -> [HostEvent] {
        defer { events = [] }
        return events
    }

    func takeData() -> [String] {
        defer { controller.data = [] }
        return controller.data.map(hex)
    }

    /// LE Connection Complete for a central with a random address, interval 24 (30 ms), time-out 400 (4 s).
    func connect(_ handle: UInt16, status: UInt8 = 0, role: UInt8 = 1, interval: UInt8 = 24) {
        send(Rig.connection(handle, status: status, role: role, interval: interval))
    }

    static func connection(_ handle: UInt16, status: UInt8 = 0, role: UInt8 = 1, interval: UInt8 = 24) -> [UInt8] {
        [
            0x04, 0x3E, 0x13, 0x01, status, UInt8(handle & 0xFF), UInt8(handle >> 8), role, 0x01, UInt8(handle & 0xFF),
            0x02, 0x03, 0x04, 0x05, 0xC6, interval, 0x00, 0x00, 0x00, 0x90, 0x01, 0x00,
        ]
    }

    func terminate(set: UInt8, handle: UInt16, status: UInt8 = 0) {
        send([0x04, 0x3E, 0x06, 0x12, status, set, UInt8(handle & 0xFF), UInt8(handle >> 8), 0x00])
    }

    func disconnected(_ handle: UInt16, reason: UInt8 = 0x13) {
        send([0x04, 0x05, 0x04, 0x00, UInt8(handle & 0xFF), UInt8(handle >> 8), reason])
    }

    func complete(_ handle: UInt16, _ count: UInt8) {
        send([0x04, 0x13, 0x05, 0x01, UInt8(handle & 0xFF), UInt8(handle >> 8), count, 0x00])
    }

    /// An ATT PDU in one data packet.
    func att(_ handle: UInt16, _ pdu: [UInt8]) { send(Rig.att(handle, pdu)) }

    static func att(_ handle: UInt16, _ pdu: [UInt8], channel: UInt8 = 4) -> [UInt8] {
        let frame = [UInt8(pdu.count & 0xFF), UInt8(pdu.count >> 8), channel, 0] + pdu
        return [
            0x02, UInt8(handle & 0xFF), UInt8(handle >> 8) | 0x20, UInt8(frame.count & 0xFF), UInt8(frame.count >> 8),
        ]
            + frame
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
