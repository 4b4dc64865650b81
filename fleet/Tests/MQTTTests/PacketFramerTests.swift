// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import MQTT

/// Octets of a broker become packets, and the fixed header is checked first (MQTT 5, 2.1).
@Suite struct PacketFramerTests {
    @Test func everyCutGivesTheSamePackets() throws {
        let octets = Packet.connack() + Packet.publish(payload: [1, 2]) + Packet.suback(1, 1) + [0xD0, 0]
        for size in 1...octets.count {
            var framer = PacketFramer()
            var types: [ServerPacketType] = []
            for start in stride(from: 0, to: octets.count, by: size) {
                framer.append(octets[start..<min(octets.count, start + size)].span)
                while let packet = try framer.next() { types.append(packet.type) }
            }
            #expect(types == [.connack, .publish, .suback, .pingresp])
            #expect(framer.waitingCount == 0)
        }
    }

    /// Types that only a client sends, that do not exist, or that need QoS 2 or an authentication (2.1.2).
    @Test(arguments: [0, 1, 5, 6, 7, 8, 10, 11, 12, 15] as [UInt8]) func otherTypes(type: UInt8) {
        #expect(Packet.violation([type << 4, 0]) == 0x82)
    }

    /// Table 2-2: all flags but those of PUBLISH are reserved.
    @Test(arguments: [2, 4, 9, 13, 14] as [UInt8]) func reservedFlags(type: UInt8) {
        for flags in 1...UInt8(15) { #expect(Packet.violation([type << 4 | flags, 0]) == 0x81) }
    }

    /// The length is refused at the header: nothing of the packet is waited for (2.1.4).
    @Test func aLengthBeyondTheLimit() throws {
        // 200 MB, 64 KB and an octet with the fixed header, and the greatest that can be written.
        for digits in [[0x80, 0x84, 0xAF, 0x5F], [0xFD, 0xFF, 0x03], [0xFF, 0xFF, 0xFF, 0x7F]] as [[UInt8]] {
            #expect(Packet.violation([0x30] + digits) == 0x95)
        }
        var framer = PacketFramer()
        framer.append([0x30, 0xFC, 0xFF, 0x03].span)
        #expect(try framer.next() == nil, "65,532 octets and 4 of the fixed header are the limit")
    }

    /// 1.5.5: at most four digits, and the shortest form.
    @Test func malformedLengths() {
        #expect(Packet.violation([0xD0, 0x80, 0x00]) == 0x81)
        #expect(Packet.violation([0xD0, 0x80, 0x80, 0x80, 0x80]) == 0x81)
    }

    @Test func noMoreThanOnePacketIsKept() throws {
        var framer = PacketFramer()
        framer.append([0x30, 0xFC, 0xFF, 0x03].span)
        let piece = [UInt8](repeating: 0, count: 1000)
        for _ in 0..<65 {
            framer.append(piece.span)
            _ = try framer.next()
        }
        #expect(framer.waitingCount == 65_004)
    }
}
