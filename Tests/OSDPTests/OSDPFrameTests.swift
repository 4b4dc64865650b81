// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import OSDP

/// OSDP 2.2, 5.5 to 5.9: frames, CRC and checksum.
struct OSDPFrameTests {
    /// COMSET to the broadcast address, address 0 and 9600 bit/s, and ID to address 0.
    static let comset = octets("53 7F 0D 00 04 6E 00 80 25 00 00 6E 38")
    static let identify = octets("53 00 09 00 04 61 00 C0 66")

    @Test func crc() throws {
        let comset = OSDPFrame(
            address: 0x7F, isReply: false, sequence: 0, check: .crc, code: 0x6E, data: octets("00 80 25 00 00"))
        #expect(comset.octets == OSDPFrameTests.comset)
        #expect(try OSDPFrame(OSDPFrameTests.comset.span) == comset)
        let identify = OSDPFrame(address: 0, isReply: false, sequence: 0, check: .crc, code: 0x61, data: [0])
        #expect(identify.octets == OSDPFrameTests.identify)
        #expect(try OSDPFrame(OSDPFrameTests.identify.span) == identify)
    }

    @Test func checksum() throws {
        let comset = octets("53 7F 0C 00 00 6E 00 80 25 00 00 0F")
        let identify = octets("53 00 08 00 00 61 00 44")
        #expect(try OSDPFrame(comset.span).octets == comset)
        #expect(try OSDPFrame(identify.span).octets == identify)
        #expect(try OSDPFrame(identify.span).check == .checksum)
    }

    /// The handshake's security block, and a MAC.
    @Test func securityBlocks() throws {
        let challenge = OSDPFrame(
            address: 1, isReply: false, sequence: 2, check: .crc, security: OSDPSecurityBlock(.challenge, [1]),
            code: 0x76, data: Array(0xB0...0xB7))
        let written = challenge.octets
        #expect(Array(written.prefix(9)) == octets("53 01 13 00 0E 03 11 01 76"))
        #expect(try OSDPFrame(written.span) == challenge)
        var poll = OSDPFrame(
            address: 1, isReply: false, sequence: 3, check: .checksum, security: OSDPSecurityBlock(.commandWithMAC),
            code: 0x60)
        poll.mac = [1, 2, 3, 4]
        let sent = poll.octets
        #expect(Array(sent.dropLast()) == octets("53 01 0D 00 0B 02 15 60 01 02 03 04"))
        #expect(try OSDPFrame(sent.span) == poll)
    }

    /// Every cut and every changed bit.
    @Test func damage() {
        let whole = OSDPFrameTests.comset
        for count in whole.indices {
            let part = Array(whole[..<count])
            #expect(throws: OSDPFault.length) { try OSDPFrame(part.span) }
        }
        let longer = whole + [0]
        #expect(throws: OSDPFault.length) { try OSDPFrame(longer.span) }
        for index in whole.indices {
            for bit in 0..<8 {
                var changed = whole
                changed[index] ^= 1 << UInt8(bit)
                #expect(throws: OSDPFault.self) { try OSDPFrame(changed.span) }
            }
        }
    }

    @Test func securityBlocksThatDoNotFit() {
        func fault(_ content: String) -> OSDPFault? {
            let content = octets(content)
            let frame = content + OSDPCheck.crc.octets(after: content)
            return thrown { () throws(OSDPFault) in _ = try OSDPFrame(frame.span) }
        }
        // Reserved bits of the control octet.
        #expect(fault("53 00 08 00 14 60") == .contents)
        // An unknown type; a reply's type in a command; lengths of 0, 1 and too many; a MAC without room.
        #expect(fault("53 00 0A 00 0C 02 19 60") == .securityBlock)
        #expect(fault("53 00 0E 00 0C 02 16 60 00 00 00 00") == .securityBlock)
        #expect(fault("53 00 0A 00 0C 00 15 60") == .contents)
        #expect(fault("53 00 0A 00 0C 01 15 60") == .contents)
        #expect(fault("53 00 0A 00 0C 09 15 60") == .contents)
        #expect(fault("53 00 0D 00 0C 02 15 60 00 00 00") == .contents)
        #expect(fault("53 00 0E 00 0C 02 15 60 00 00 00 00") == nil)
    }
}

/// Frames in a stream.
struct OSDPFrameDecoderTests {
    private func items(_ octets: [UInt8]) -> [OSDPFrameDecoder.Item] {
        var decoder = OSDPFrameDecoder()
        var items: [OSDPFrameDecoder.Item] = []
        for octet in octets {
            decoder.receive(octet) { items.append($0) }
            #expect(decoder.heldCount < OSDPFrame.lengthLimit)
        }
        decoder.abandon { items.append($0) }
        #expect(decoder.heldCount == 0)
        return items
    }

    private func frames(_ octets: [UInt8]) -> [[UInt8]] {
        items(octets).compactMap { if case .frame(_, let octets, _) = $0 { octets } else { nil } }
    }

    @Test func framesAfterMarksAndNoise() {
        let (one, two) = (OSDPFrameTests.comset, OSDPFrameTests.identify)
        #expect(frames([0xFF] + one + [0xFF, 0xFF] + two) == [one, two])
        #expect(items([0xFF, 0xFF]).isEmpty)
        #expect(items([0x00, 0x12]) == [.noise(0x00), .noise(0x12)])
    }

    /// A start in noise, whose length swallows the frame behind it.
    @Test func aFalseStart() {
        let frame = OSDPFrameTests.identify
        // A length of 10 that ends within the frame: its check is wrong, and the frame is found behind it.
        #expect(frames([0x53, 0x00, 0x0A, 0x00] + frame + frame) == [frame, frame])
        // A length that no frame has is refused at once.
        #expect(frames([0x53, 0x00, 0xFF, 0xFF] + frame) == [frame])
        #expect(frames([0x53, 0x00, 0x06, 0x00] + frame) == [frame])
        // A long one holds the frame until the pause.
        #expect(frames([0x53, 0x00, 0x00, 0x05] + frame) == [frame])
        #expect(frames([0x53] + frame) == [frame])
    }

    /// Every cut of a frame, then a pause.
    @Test func cutFrames() {
        let frame = OSDPFrameTests.comset
        for count in 1..<frame.count { #expect(frames(Array(frame[..<count])).isEmpty) }
        for count in 1..<frame.count { #expect(frames(Array(frame[count...]) + frame) == [frame]) }
    }

    /// A frame whose check is right is not searched for another one.
    @Test func aRightCheckAroundNonsense() {
        let content = octets("53 00 0A 00 0C 02 19 60")
        let frame = content + OSDPCheck.crc.octets(after: content)
        #expect(items(frame) == [.damaged(.securityBlock, frame)])
    }

    @Test func theLongestFrame() {
        let frame = OSDPFrame(
            address: 5, isReply: false, sequence: 1, check: .crc, code: 0x7C,
            data: [UInt8](repeating: 0x53, count: OSDPFrame.lengthLimit - 8))
        #expect(frame.octets.count == 1440)
        #expect(frames(frame.octets) == [frame.octets])
    }
}
