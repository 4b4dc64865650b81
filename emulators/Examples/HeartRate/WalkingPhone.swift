// SPDX-License-Identifier: Apache-2.0

// For `--hci virtual`: a phone in the same process, on simulated air. No part of this file is needed for a device.

import HostLoop
import Peripheral
import Phone
import Timekeeping
import VirtualRadio

/// A phone that looks for a heart-rate sensor, connects, subscribes and prints the values that it receives.
struct WalkingPhone {
    private static let service = BluetoothUUID(0x180D)
    private static let measurement = BluetoothUUID(0x2A37)
    private static let location = BluetoothUUID(0x2A38)
    /// The lowest RSSI, in dBm, of an advertisement that the phone answers.
    private static let threshold: Int8 = -70

    private let controller: VirtualController
    private let tell: (String) -> Void
    private var central = Central()
    private var client = GATTClient()
    private var link: LinkID?

    /// Lets a phone approach a device and runs both for a given duration, on a clock that does not wait.
    static func visit<State>(
        _ program: consuming DeviceProgram<State>, for duration: Duration, tell: @escaping (String) -> Void
    ) {
        let air = Air(seed: 1)
        let near = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0xD0_0000_0001))
        let far = air.addController(.modern, address: BluetoothAddress(kind: .public, value: 0xE0_0000_0001))
        air.walk(from: near, to: far, start: -90, end: -50, duration: .seconds(3))
        var phone = WalkingPhone(controller: far) { tell("\(time(air.now))  \($0)") }
        program.start(at: air.now)
        phone.central.start(at: air.now)
        air.run(
            until: air.now + duration, deadline: { Instant.earlier(program.nextDeadline, phone.nextDeadline) },
            step: {
                if let due = program.nextDeadline, due <= air.now { program.advance(to: air.now) }
                phone.central.advance(to: air.now)
                phone.client.timePassed(air.now)
                exchange(&program, near, &phone, at: air.now)
                return false
            })
        for violation in near.violations { tell("the sensor broke a rule: \(violation)") }
    }

    private init(controller: VirtualController, tell: @escaping (String) -> Void) {
        self.controller = controller
        self.tell = tell
    }

    private var nextDeadline: Instant? { Instant.earlier(central.nextDeadline, client.deadline) }

    /// Moves packets between hosts and controllers until none are left.
    private static func exchange<State>(
        _ program: inout DeviceProgram<State>, _ controller: VirtualController, _ phone: inout WalkingPhone,
        at now: Instant
    ) {
        var moves = true
        while moves {
            moves = controller.exchange(
                pop: { program.popPacket(into: &$0) }, receive: { program.receive($0, at: now) })
            if phone.exchange(at: now) { moves = true }
        }
    }

    private mutating func exchange(at now: Instant) -> Bool {
        var pdu: [UInt8] = []
        while let link, client.nextPDU(into: &pdu) { try? central.sendAttribute(link, pdu.span) }
        let moves = controller.exchange(
            pop: { central.popPacket(into: &$0) }, receive: { central.receive($0, at: now) })
        while let event = central.popEvent() { receive(event, at: now) }
        while let event = client.nextEvent() { receive(event, at: now) }
        return moves
    }

    private mutating func receive(_ event: CentralEvent, at now: Instant) {
        switch event {
        case .ready: try? central.startScanning(at: now)
        case .report(let report) where central.isScanning && advertisesHeartRate(report.data):
            guard let level = report.rssi, level >= WalkingPhone.threshold else { return }
            central.stopScanning(at: now)
            tell("phone: found \(report.address) at \(level) dBm, connects")
            try? central.connect(to: report.address, at: now)
        case .connected(let link, _, let interval):
            self.link = link
            tell("phone: connected, \(interval.wholeMilliseconds) ms between events")
            client.start(.exchangeMTU, at: now)
            client.start(.discoverServicesByUUID(WalkingPhone.service), at: now)
        case .attribute(_, let pdu): client.receive(pdu.span, at: now)
        case .disconnected:
            link = nil
            client.linkLost()
            tell("phone: disconnected")
        default: break
        }
    }

    private mutating func receive(_ event: GATTClientEvent, at now: Instant) {
        switch event {
        case .completed(_, .success(.mtu(let mtu))): tell("phone: ATT_MTU \(mtu)")
        case .completed(_, .success(.services(let services))):
            for service in services { client.start(.discoverCharacteristics(in: service.handles), at: now) }
        case .completed(_, .success(.characteristics(let found))):
            for characteristic in found { use(characteristic, at: now) }
        case .completed(_, .success(.descriptors(let found))):
            for descriptor in found where descriptor.uuid == .clientConfiguration {
                client.start(.subscribe(descriptor: descriptor.handle, .notification), at: now)
            }
        case .completed(_, .success(.value(let octets))): tell("phone: body sensor location \(octets)")
        case .completed(_, .success(.written)): tell("phone: subscribed")
        case .completed(_, .failure(let error)): tell("phone: \(error)")
        case .notification(_, let octets) where octets.count >= 2:
            let energy = octets.count >= 4 ? ", \(UInt16(octets[2]) | UInt16(octets[3]) << 8) kJ" : ""
            tell("phone: \(octets[1]) beats per minute\(energy)")
        default: break
        }
    }

    private mutating func use(_ characteristic: RemoteCharacteristic, at now: Instant) {
        if characteristic.uuid == WalkingPhone.location { client.start(.read(characteristic.value), at: now) }
        guard characteristic.uuid == WalkingPhone.measurement, let range = characteristic.descriptors else { return }
        client.start(.discoverDescriptors(in: range), at: now)
    }

    /// Returns whether a list of 16-bit service UUIDs in advertising data contains 180D.
    private func advertisesHeartRate(_ data: [UInt8]) -> Bool {
        var start = 0
        while start + 1 < data.count, data[start] > 0 {
            let end = min(start + 1 + Int(data[start]), data.count)
            let content = data[(start + 2)..<max(end, start + 2)]
            if data[start + 1] == 0x02 || data[start + 1] == 0x03 {
                for place in stride(from: content.startIndex, to: content.endIndex - 1, by: 2)
                where content[place] == 0x0D && content[place + 1] == 0x18 {
                    return true
                }
            }
            start = end
        }
        return false
    }

    /// The time as text, such as `  1.250 s`.
    private static func time(_ now: Instant) -> String {
        let milliseconds = (now - .origin).wholeMilliseconds
        let fraction = String(1000 + milliseconds % 1000).dropFirst()
        let whole = String(milliseconds / 1000)
        return String(repeating: " ", count: max(0, 3 - whole.count)) + "\(whole).\(fraction) s"
    }
}
