// SPDX-License-Identifier: Apache-2.0

import SeededNumbers
import Testing
import Timekeeping

@testable import VirtualRadio

/// Many devices at once, random losses, and hosts that send arbitrary packets.
@Suite struct CrowdTests {
    /// Eight centrals on one peripheral; each sends its number, and receives the same over its own link.
    @Test func eightCentralsOnOnePeripheral() {
        let air = Air(seed: 9)
        let reader = RawHost.ready(air, address: readerAddress)
        let phones = (0..<8).map { RawHost(air, address: phoneAddress + UInt64($0)) }
        var handles: [UInt16] = []
        for (number, phone) in phones.enumerated() {
            phone.setUp()
            air.setRSSI(from: phone.controller, to: reader.controller, dBm: Int8(-40 - number))
            if number == 0 { reader.advertiseLegacy() } else { #expect(reader.status(0x200A, [1]) == 0) }
            #expect(phone.connect(to: octets(readerAddress)) == 0)
            runAir(air, for: .milliseconds(60), reader)
            handles += reader.remove(subevent: 0x0A).map { UInt16($0.packet[5]) }
            #expect(phone.remove(subevent: 0x0A).count == 1)
        }
        #expect(handles == Array(0x40...0x47))
        #expect(reader.status(0x200A, [1]) == 0x09)
        for (number, phone) in phones.enumerated() { phone.acl(0x40, [0xA0, UInt8(number)]) }
        runAir(air, for: .milliseconds(100), reader)
        let heard = reader.remove([0x02]).map(\.packet)
        #expect(Set(heard) == Set((0..<8).map { [0x02, 0x40 + $0, 0x20, 2, 0, 0xA0, $0] }))
        for packet in heard { reader.acl(UInt16(packet[1]), [0xB0, packet[6]]) }
        runAir(air, for: .milliseconds(100), reader)
        for (number, phone) in phones.enumerated() {
            #expect(phone.remove([0x02]).map(\.packet) == [[0x02, 0x40, 0x20, 2, 0, 0xB0, UInt8(number)]])
            let level = reader.send(0x1405, [0x40 + UInt8(number), 0]).last
            #expect(level == UInt8(bitPattern: Int8(-40 - number)))
        }
        #expect(reader.remove([0x04, 0x13]).count == 8)
        #expect(([reader] + phones).flatMap(\.controller.violations) == [])
    }

    /// Two initiators may answer the same advertisement: one is connected, and the other may assume that it is.
    @Test func initiatorsCollide() {
        var phantoms = 0
        var nearest = 0
        for seed in 0..<60 as Range<UInt64> {
            let air = Air(seed: seed)
            let reader = RawHost.ready(air, address: readerAddress)
            reader.advertiseLegacy()
            let phones = (0..<2).map { RawHost(air, address: phoneAddress + UInt64($0)) }
            for (number, phone) in phones.enumerated() {
                phone.setUp()
                air.setRSSI(from: phone.controller, to: reader.controller, dBm: number == 0 ? -80 : -40)
                #expect(phone.connect(to: octets(readerAddress)) == 0)
            }
            runAir(air, for: .seconds(1), reader, phones[0], phones[1])
            let links = reader.remove(subevent: 0x0A)
            #expect(links.count == 1)
            let failed = phones.map { $0.remove([0x04, 0x05]).contains { $0.packet[6] == 0x3E } }
            if failed[0] || failed[1] {
                phantoms += 1
                nearest += failed[1] ? 0 : 1
            }
        }
        // One of three channels each; of colliding transmissions, the stronger one is received.
        #expect((8...35).contains(phantoms))
        #expect(nearest == phantoms)
    }

    /// The same seed and inputs yield the same trace, to the octet and the nanosecond.
    @Test func tracesRepeat() {
        let trace = { (seed: UInt64) -> [String] in
            let pair = Linked(seed: seed)
            pair.air.setFluctuation(from: pair.phone.controller, to: pair.reader.controller, dB: 6)
            pair.air.setLoss(from: pair.phone.controller, to: pair.reader.controller, share: 0.2)
            #expect(pair.reader.status(0x200A, [1]) == 0)
            pair.phone.scanLegacy()
            for number in 0..<8 { pair.phone.acl(pair.phoneHandle, [UInt8(number), 1, 2]) }
            pair.run(.seconds(2))
            #expect(pair.violations == [])
            return (pair.reader.inbox + pair.phone.inbox).map { "\($0.at.nanoseconds) \($0.packet)" }
        }
        let one = trace(77)
        #expect(one.count > 100)
        #expect(one == trace(77))
        #expect(one != trace(78))
    }

    /// A host that sends arbitrary packets gets responses, and the controller keeps working. Most of the commands are
    /// real, with partly plausible parameters, on a controller with advertising, scanning and links under way.
    @Test func hostilePackets() {
        var generator = SeededGenerator(seed: 2024)
        for profile in [ControllerProfile.modern, .legacy, .minimal] {
            let pair = Linked(reader: profile, phone: .modern)
            let hostile = pair.reader.controller
            var packet: [UInt8] = []
            var connections = 0
            for round in 0..<34_000 {
                packet.removeAll(keepingCapacity: true)
                switch generator.below(10) {
                case 0:
                    for _ in 0..<generator.below(40) { packet.append(UInt8(truncatingIfNeeded: generator.next())) }
                case 1:
                    let count = UInt8(generator.below(40))
                    packet = [0x02, UInt8(0x40 + generator.below(3)), UInt8(generator.below(2)) << 4, count, 0]
                    for _ in 0..<count { packet.append(UInt8(truncatingIfNeeded: generator.next())) }
                default:
                    let row = Command.rows[Int(generator.below(UInt64(Command.rows.count)))]
                    let count = UInt8(row.parameterCount ?? Int(generator.below(40)))
                    packet = [0x01, UInt8(row.command.rawValue & 0xFF), UInt8(row.command.rawValue >> 8), count]
                    for _ in 0..<count {
                        let small = generator.below(4) > 0
                        packet.append(small ? UInt8(generator.below(4)) : UInt8(truncatingIfNeeded: generator.next()))
                    }
                }
                hostile.receive(packet.span)
                if round % 8 == 0 { pair.run(.milliseconds(5)) }
                if round % 64 == 0 {
                    connections += pair.phone.remove(subevent: 0x0A).count
                    pair.phone.inbox.removeAll()
                    pair.reader.inbox.removeAll()
                    if !pair.phone.controller.state.links.isEmpty {
                        pair.phone.status(0x0406, [0x40, 0x00, 0x13])
                    } else {
                        pair.phone.connect(to: octets(readerAddress))
                    }
                }
            }
            #expect(hostile.violations.count == VirtualController.maximumViolations)
            // Links were made and lost meanwhile, and the controller still works.
            #expect(connections > 0)
            let host = pair.reader
            host.setUp()
            #expect(host.send(0x1009).count == 13)
            #expect(hostile.heldPackets >= 0 && hostile.heldPackets <= profile.aclPackets)
        }
    }
}
