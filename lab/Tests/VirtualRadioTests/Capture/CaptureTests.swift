// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import VirtualRadio

/// Captures: draft-ietf-opsawg-pcapng, the headers of LINKTYPE 201, 252 and 256, and Core 5.4, Vol 6, Part B, 2 and 3.
/// Tests/Interop/scenarios/lab/test_air_capture.py reads whole ones with tshark.
@Suite struct CaptureTests {
    @Test func blocksToTheOctet() {
        var blocks = PCAPNG(comment: "seed 1", application: "lab")
        #expect(
            blocks.drain() == [
                0x0A, 0x0D, 0x0D, 0x0A, 0x34, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A, 1, 0, 0, 0,
                0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                1, 0, 6, 0, 0x73, 0x65, 0x65, 0x64, 0x20, 0x31, 0, 0, 4, 0, 3, 0, 0x6C, 0x61, 0x62, 0, 0, 0, 0, 0,
                0x34, 0, 0, 0,
            ])
        #expect(blocks.addInterface("air", .linkLayer) == 0)
        #expect(
            blocks.drain() == [
                1, 0, 0, 0, 0x28, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 3, 0, 0x61, 0x69, 0x72, 0,
                9, 0, 1, 0, 9, 0, 0, 0, 0, 0, 0, 0, 0x28, 0, 0, 0,
            ])
        #expect(blocks.addInterface("hci", .hci) == 1)
        _ = blocks.drain()
        blocks.add([1, 2, 3, 4, 5], on: 1, .outbound, nanoseconds: 0x0102_0304_0506_0708)
        #expect(
            blocks.drain() == [
                6, 0, 0, 0, 0x34, 0, 0, 0, 1, 0, 0, 0, 4, 3, 2, 1, 8, 7, 6, 5, 5, 0, 0, 0, 5, 0, 0, 0,
                1, 2, 3, 4, 5, 0, 0, 0, 2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0x34, 0, 0, 0,
            ])
    }

    /// An advertisement on channel 37, received with −61 dBm. Its CRC is from another implementation of 3.1.1.
    @Test func anAdvertisementToTheOctet() {
        let pdu: [UInt8] = [0, 9, 0xF6, 0xE5, 0xD4, 0xC3, 0xB2, 0xA1, 2, 1, 6]
        let packet = AirPacket(access: .advertising, kind: .advertising, channel: 37, pdu: pdu)
        let access: [UInt8] = [0xD6, 0xBE, 0x89, 0x8E]
        let crc: [UInt8] = [0xDE, 0x82, 0x84]
        #expect(packet.octets(level: -61) == [0, 0xC3, 0, 0] + access + [0x13, 0] + access + pdu + crc)
        #expect(packet.octets(level: nil) == [0, 0, 0, 0] + access + [0x11, 0] + access + pdu + crc)
        let encrypted = AirPacket(access: .advertising, kind: .fromPeripheral, channel: 11, pdu: [], isEncrypted: true)
        #expect(Array(encrypted.octets(level: nil).prefix(10)) == [13, 0, 0, 0] + access + [0x99, 1])
    }

    /// 2.1.2: no seven equal bits in turn, no more than 24 changes, two of them among the six highest bits.
    @Test func accessAddressesKeepTheRules() {
        for link in UInt64(1)...2000 {
            let address = AirPacket.Access(link: link).address
            let bits = (0..<32).map { address >> $0 & 1 }
            let changes = zip(bits, bits.dropFirst()).map { $0 != $1 }
            #expect(changes.count { $0 } <= 24)
            #expect(changes[26...].count { $0 } >= 2)
            #expect(!(0...25).contains { !changes[$0..<$0 + 6].contains(true) })
            #expect(AirPacket.Access(link: link) == AirPacket.Access(link: link))
        }
        #expect(Set((UInt64(1)...2000).map { AirPacket.Access(link: $0).address }).count == 2000)
    }

    /// 4.5.9: a packet that is sent again keeps its number; the answer to it expects the next.
    @Test func acknowledgementBits() {
        var (central, peripheral) = (AcknowledgementBits(), AcknowledgementBits())
        peripheral.receive(central)
        #expect((peripheral.number, peripheral.expected) == (false, true))
        // The answer is lost: the central sends its packet again, which changes nothing.
        peripheral.receive(central)
        #expect((peripheral.number, peripheral.expected) == (false, true))
        central.receive(peripheral)
        #expect((central.number, central.expected) == (true, true))
        peripheral.receive(central)
        #expect((peripheral.number, peripheral.expected) == (true, false))
    }

    /// The key, which the air carries to compare it, is not on the captured air; it is on the hosts' interfaces.
    @Test func anEncryptionRequestIsWithoutItsKey() throws {
        let pair = Linked()
        let link = try #require(pair.air.links.values.first)
        func octets(_ pdu: LinkPDU?, header: UInt8 = 0) -> [UInt8] {
            LinkPDU.octets(pdu, header: header, from: link.central, event: link.events, update: link.updateInstant)
        }
        let (name, key) = ([UInt8](1...10), [UInt8](0x20..<0x30))
        #expect(
            octets(.control(.encryptionRequest(name: name, key: key)), header: 0x0C)
                == [0x0F, 23, 3] + name + [UInt8](repeating: 0, count: 12))
        #expect(octets(nil, header: 0x08) == [0x09, 0])
        #expect(octets(.data([7], isStart: true), header: 0x10) == [0x12, 1, 7])
        #expect(octets(.control(.terminate(reason: 0x13))) == [0x03, 2, 2, 0x13])
    }

    /// Host packets behind their direction, and a line of text behind the name of its dissector.
    @Test func interfacesAreMadeWithTheirFirstPacket() {
        let air = Air(seed: 1)
        air.capture = AirCapture(comment: "", application: "", epochAtOrigin: 0)
        _ = air.capture?.drain()
        let host = RawHost(air, address: readerAddress)
        host.controller.name = "reader"
        host.send(0x0C03)
        let octets = air.capture?.drain() ?? []
        let name = Array("hci reader".utf8)
        #expect(
            octets.prefix(28) == [1, 0, 0, 0, 0x30, 0, 0, 0, 201, 0, 0, 0, 0, 0, 0, 0, 2, 0, 10, 0] + name.prefix(8))
        #expect(octets.dropFirst(0x30 + 28).prefix(8) == [0, 0, 0, 0, 0x01, 0x03, 0x0C, 0x00])
        #expect(
            octets.dropFirst(0x30 + 0x34 + 28).prefix(11) == [0, 0, 0, 1, 0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00])
        air.capture?.comment("hi", at: air.now)
        let text = air.capture?.drain() ?? []
        let body = [0, 12, 0, 8] + Array("syslog".utf8) + [0, 0, 0, 0, 0, 0] + Array("<134>hi".utf8)
        #expect(text.dropFirst(8).prefix(2) == [252, 0])
        #expect(text.dropFirst(Int(text[4]) + 28).prefix(body.count) == body[...])
    }
}
