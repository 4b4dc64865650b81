// SPDX-License-Identifier: Apache-2.0

import Octets
import Peripheral
import Phone
import TestSupport
import Testing
import Timekeeping
import VirtualRadio

/// A central on virtual air, and controllers of peripherals that a test drives by octets.
final class CentralRig {
    let air: Air
    let controller: VirtualController
    var central: Central
    var events: [(at: Instant, event: CentralEvent)] = []
    var sent: [[UInt8]] = []

    init(_ profile: ControllerProfile = .modern, address: BluetoothAddress? = nil, seed: UInt64 = 1) {
        air = Air(seed: seed)
        controller = air.addController(profile, address: BluetoothAddress(kind: .public, value: 0x1122_3344_5566))
        central = Central(address: address)
    }

    /// Exchanges packets in both directions until none is left, and takes the events.
    func pump() {
        controller.exchange(
            pop: {
                guard central.popPacket(into: &$0) else { return false }
                sent.append($0)
                return true
            }, receive: { central.receive($0, at: air.now) })
        events += all { central.popEvent() }.map { (air.now, $0) }
    }

    func start() {
        central.start(at: air.now)
        pump()
    }

    /// Lets time pass.
    func run(_ duration: Duration, _ peripherals: RawPeripheral...) {
        air.run(
            until: air.now + duration, deadline: { central.nextDeadline },
            step: {
                central.advance(to: air.now)
                pump()
                for peripheral in peripherals { peripheral.pump() }
                return false
            })
    }

    /// Takes the pending events.
    func takeEvents() -> [CentralEvent] {
        pump()
        return exchange(&events, with: []).map(\.event)
    }

    /// Connects with the given settings, and returns the link.
    func connect(_ peripheral: RawPeripheral, _ settings: ConnectionSettings = ConnectionSettings()) throws -> LinkID {
        try central.connect(to: peripheral.advertised, settings, at: air.now)
        run(.milliseconds(200), peripheral)
        for case .connected(let link, _, _) in takeEvents() { return link }
        throw CentralRefusal.gone
    }
}

/// A peripheral's host that sends given octets.
final class RawPeripheral {
    let controller: VirtualController
    var inbox: [[UInt8]] = []
    let advertised: BluetoothAddress

    init(_ air: Air, _ profile: ControllerProfile = .modern, address: UInt64 = 0xA1B2_C3D4_E5F6) {
        advertised = BluetoothAddress(kind: .public, value: address)
        controller = air.addController(profile, address: advertised)
        send([0x03, 0x0C, 0x00])
        send([0x01, 0x0C, 0x08] + [UInt8](repeating: 0xFF, count: 7) + [0x3F])
        send([0x01, 0x20, 0x08, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0])
        send([0x08, 0x20, 0x20, 3, 2, 1, 6] + [UInt8](repeating: 0, count: 28))
        send([0x09, 0x20, 0x20, 2, 1, 2] + [UInt8](repeating: 0, count: 29))
        send([0x06, 0x20, 0x0F, 0x20, 0, 0x20, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 0])
        send([0x0A, 0x20, 0x01, 0x01])
    }

    func pump() { inbox += allPackets { controller.popPacket(into: &$0) } }

    /// Sends a command, without its H4 type.
    func send(_ command: [UInt8]) {
        pump()
        let packet = [0x01] + command
        controller.receive(packet.span)
        pump()
    }

    /// Sends an L2CAP frame over link 0x0040 in packets of 27.
    func send(frame payload: [UInt8], channel: UInt8) {
        let frame = [UInt8(payload.count & 0xFF), UInt8(payload.count >> 8), channel, 0] + payload
        for offset in stride(from: 0, to: frame.count, by: 27) {
            let part = frame[offset..<min(frame.count, offset + 27)]
            let header: [UInt8] = [0x02, 0x40, offset == 0 ? 0x00 : 0x10, UInt8(part.count), 0]
            let packet = header + part
            controller.receive(packet.span)
        }
    }

    /// Takes the received ACL packets, reassembled.
    func takeData() -> [UInt8] {
        pump()
        defer { inbox.removeAll { $0.first == 0x02 } }
        return inbox.filter { $0.first == 0x02 }.flatMap { $0.dropFirst(5) }
    }
}
