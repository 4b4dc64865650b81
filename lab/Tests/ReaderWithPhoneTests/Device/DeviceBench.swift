// SPDX-License-Identifier: Apache-2.0

import Crypto
import Peripheral
import Reader
import TestSupport
import Timekeeping
import VirtualRadio

@testable import ReaderTestSupport

/// A reader on a virtual controller, with nobody on the air, and a wall clock that a test sets.
///
/// A phone is made of a few literal packets: the controller that the reader talks to does not know of its link.
final class DeviceBench {
    var device: ReaderDevice<CountingRandom>
    let air = Air(seed: 1)
    let controller: VirtualController
    let table: AccessTable
    var wall: VirtualWall
    /// The packets that the reader sent since the last look.
    var sent: [[UInt8]] = []
    private var packet: [UInt8] = []

    init(
        _ profile: ControllerProfile = .legacy, epochAtOrigin: Int64?, utcOffsetMinutes: Int = 0,
        companion: (any CompanionDevice)? = nil
    ) throws {
        controller = air.addController(profile, address: BluetoothAddress(kind: .public, value: 1))
        wall = VirtualWall(epochAtOrigin: epochAtOrigin)
        var configuration = AccessConfiguration(modes: [
            .init(mode: .access, address: .randomStatic(from: 1), gate: nil),
            .init(mode: .onTouch, address: .randomStatic(from: 2), gate: nil),
        ])
        configuration.zone = TimeZoneRule(utcOffsetMinutes: utcOffsetMinutes)
        let identity = try ReaderIdentity.demo()
        table = try .demo(configuration)
        device = try ReaderDevice(
            configuration: configuration, identity: identity, door: DoorConfiguration(), random: CountingRandom(),
            companions: [companion].compactMap(\.self), at: wall.moment(.origin))
        device.reader.startDoor(at: now)
        device.start(at: moment)
        settle()
    }

    var isQuiet: Bool { device.isQuiet }

    var now: Instant { air.now }

    var moment: Moment { wall.moment(now) }

    /// Moves packets between reader and controller until neither has more to say.
    func settle() {
        var moved = true
        while moved {
            moved = false
            while device.popPacket(into: &packet) {
                sent.append(packet)
                forward(packet)
                moved = true
            }
            while controller.popPacket(into: &packet) {
                send(packet)
                moved = true
            }
        }
    }

    /// Hands a packet to the controller, unless it is about a link that the controller does not know.
    func forward(_ packet: [UInt8]) {
        if packet.starts(with: [0x01, 0x06, 0x04]) {
            // Disconnect (Core 5.4, Vol 4, Part E, 7.1.6): begun, and the phone does not answer.
            send([0x04, 0x0F, 0x04, 0x00, 0x01, 0x06, 0x04])
        } else if packet.first == 0x01 {
            controller.receive(packet.span)
        }
    }

    /// Lets time pass, calling the reader when it wants and only then.
    func pass(_ duration: Duration) {
        air.run(
            until: air.now + duration, deadline: { device.nextDeadline },
            step: {
                settle()
                if let deadline = device.nextDeadline, deadline <= now { advance() }
                settle()
                return false
            })
    }

    /// Calls the reader at the present time.
    func advance() {
        let moment = moment
        device.advance(to: moment)
    }

    /// The parameters of the commands with this opcode that were sent since the last look.
    func takeParameters(of opcode: UInt16) -> [[UInt8]] {
        let head = [0x01, UInt8(truncatingIfNeeded: opcode), UInt8(truncatingIfNeeded: opcode >> 8)]
        return exchange(&sent, with: []).filter { $0.starts(with: head) }.map { Array($0.dropFirst(4)) }
    }

    /// A phone connects to this advertising set: LE Advertising Set Terminated (7.7.65.18) follows.
    func connect(_ handle: UInt16, toSet set: UInt8) {
        connected(handle)
        send([0x04, 0x3E, 0x06, 0x12, 0x00, set, low(handle), high(handle), 0])
        settle()
    }

    /// A phone connects and says nothing: its link does not end before the supervision time-out.
    func connect(_ handle: UInt16) {
        connected(handle)
        // Where there are sets, the link waits 10 ms to learn its own.
        pass(.milliseconds(10))
    }

    /// The reader's answer to reading a value by its handle, on a link of its own; nil if it does not.
    func read(_ attribute: AttributeHandle) -> [UInt8]? {
        let link: UInt16 = 0x0040
        connect(link)
        sent = []
        // ATT_READ_REQ on channel 4, in one first fragment.
        let value = attribute.rawValue
        send([0x02, low(link), high(link) | 0x20, 7, 0, 3, 0, 4, 0, 0x0A, low(value), high(value)])
        settle()
        let answer = sent.first { $0.starts(with: [0x02, low(link), high(link)]) && $0.count > 10 && $0[9] == 0x0B }
        // Disconnection Complete (7.7.5).
        send([0x04, 0x05, 0x04, 0x00, low(link), high(link), 0x13])
        settle()
        return answer.map { Array($0.dropFirst(10)) }
    }

    /// LE Connection Complete (Core 5.4, Vol 4, Part E, 7.7.65.1): interval 30 ms, supervision time-out 32 s.
    private func connected(_ handle: UInt16) {
        send([
            0x04, 0x3E, 0x13, 0x01, 0x00, low(handle), high(handle), 0x01, 0x01, low(handle), high(handle), 4, 3, 2,
            0xC1, 24, 0, 0, 0, 0x80, 0x0C, 0,
        ])
    }

    private func low(_ value: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: value) }

    private func high(_ value: UInt16) -> UInt8 { UInt8(truncatingIfNeeded: value >> 8) }

    private func send(_ octets: [UInt8]) {
        let moment = moment
        device.receive(octets.span, at: moment)
    }
}
