// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Testing

@Suite("Frames to message (access protocol, 4)")
struct MessageAssemblerTests {
    /// The handshake of the published exchange: header and 19 octets.
    private let handshake = octets("00132e300000 120a100ffe0eb6ccfed9dd80aac04c1886aa62")

    private func feed(_ assembler: inout MessageAssembler, _ frames: [[UInt8]]) -> [MessageAssembler.Outcome] {
        frames.map { assembler.receive($0.span) }
    }

    @Test("one frame, or a first frame cut anywhere from the header on")
    func cutAnywhere() {
        var assembler = MessageAssembler()
        #expect(assembler.receive(handshake.span) == .message(.ok))
        #expect(assembler.payload == Array(handshake[6...]))
        for cut in 6..<handshake.count {
            #expect(assembler.receive(handshake.span.extracting(0..<cut)) == .incomplete)
            #expect(assembler.isAssembling)
            #expect(assembler.receive(handshake.span.extracting(cut..<handshake.count)) == .message(.ok))
            #expect(assembler.payload == Array(handshake[6...]), "cut at \(cut)")
        }
    }

    @Test("octet by octet after the header")
    func octetByOctet() {
        var assembler = MessageAssembler()
        #expect(assembler.receive(handshake.span.extracting(0..<6)) == .incomplete)
        for at in 6..<handshake.count - 1 {
            #expect(assembler.receive(handshake.span.extracting(at..<at + 1)) == .incomplete)
        }
        #expect(assembler.receive(handshake.span.extracting(9..<9)) == .incomplete)
        #expect(assembler.receive(handshake.span.extracting(24..<25)) == .message(.ok))
        #expect(assembler.payload == Array(handshake[6...]))
    }

    @Test("first frame shorter than a header: -4, and the next frame is a first frame", arguments: 0..<6)
    func shortFirstFrame(count: Int) {
        var assembler = MessageAssembler()
        #expect(assembler.receive(handshake.span.extracting(0..<count)) == .rejected(.invalidState))
        #expect(assembler.receive(handshake.span) == .message(.ok))
    }

    @Test("a flipped bit anywhere in payload or checksum: -9")
    func checksum() {
        var assembler = MessageAssembler()
        for at in [2, 3] + Array(6..<handshake.count) {
            for bit in 0..<8 {
                var broken = handshake
                broken[at] ^= 1 << UInt8(bit)
                #expect(assembler.receive(broken.span) == .rejected(.crc), "octet \(at), bit \(bit)")
            }
        }
        #expect(assembler.receive(handshake.span) == .message(.ok))
    }

    @Test("surplus octets in the last frame: -9, even where a checksum over all of them fits")
    func surplus() {
        var assembler = MessageAssembler()
        #expect(assembler.receive((handshake + [0]).span) == .rejected(.crc))
        var covered = handshake + [0]
        let crc = FrameCRC(of: covered.span.extracting(6..<covered.count)).value
        covered[2] = UInt8(crc >> 8)
        covered[3] = UInt8(crc & 0xFF)
        #expect(assembler.receive(covered.span) == .rejected(.crc))
        #expect(assembler.receive(octets("0000 0000 0000 00").span) == .rejected(.crc))
    }

    @Test("a header alone: a status, or an empty message")
    func headerOnly() {
        var assembler = MessageAssembler()
        #expect(assembler.receive(octets("0000 0000 fff4").span) == .message(.signature))
        #expect(assembler.payload.isEmpty)
        #expect(assembler.receive(octets("0000 0000 0000").span) == .message(.ok))
        #expect(assembler.payload.isEmpty)
        #expect(assembler.receive(octets("0000 ffff 0000").span) == .rejected(.crc))
    }

    @Test("a status may come with a payload, and is passed on with it")
    func statusWithPayload() {
        var assembler = MessageAssembler()
        var message = handshake
        message[4] = 0xFF
        message[5] = 0x56
        #expect(assembler.receive(message.span) == .message(.peerStatus))
        #expect(assembler.payload.count == 19)
    }

    @Test("2048 octets of payload are taken; a header that announces more is refused at once")
    func payloadLimit() {
        let payload = [UInt8](repeating: 0x5A, count: 2048)
        let crc = FrameCRC(of: payload.span).value
        var assembler = MessageAssembler()
        let header: [UInt8] = [0x08, 0x00, UInt8(crc >> 8), UInt8(crc & 0xFF), 0, 0]
        #expect(assembler.receive(header.span) == .incomplete)
        for at in 0..<4 {
            let outcome = assembler.receive(payload.span.extracting(at * 512..<(at + 1) * 512))
            #expect(outcome == (at == 3 ? .message(.ok) : .incomplete))
        }
        #expect(assembler.payload == payload)

        for header in ["0801 0000 0000", "1388 0000 0000", "ffff 0000 0000", "0801 0000 fff4"] {
            #expect(assembler.receive(octets(header).span) == .tooLong)
            #expect(!assembler.isAssembling)
            #expect(assembler.receive(handshake.span) == .message(.ok))
        }
        // The likeliest mistake: the length field in little endian.
        let swapped = octets("1300") + handshake[2...]
        #expect(feed(&assembler, [swapped, swapped, handshake]) == [.tooLong, .tooLong, .message(.ok)])
    }

    @Test("the rest of a message that is too long is dropped, and hides no message")
    func restOfALongMessage() {
        var assembler = MessageAssembler()
        let header = octets("1388 0000 0000") + [UInt8](repeating: 0x42, count: 100)
        let rest = [UInt8](repeating: 0x42, count: 106)
        let short = [UInt8](repeating: 0, count: 5)
        #expect(
            feed(&assembler, [header, rest, rest, short, handshake, rest])
                == [.tooLong, .dropped, .dropped, .dropped, .message(.ok), .tooLong])
        // A length of at most 2048 in what is no header begins no message.
        let small = octets("0042") + [UInt8](repeating: 0x42, count: 104)
        #expect(feed(&assembler, [header, small, handshake]) == [.tooLong, .dropped, .message(.ok)])
    }

    @Test("a frame of 512 octets is taken, one of 513 is -7 and ends the message")
    func frameLimit() {
        var assembler = MessageAssembler()
        let full = octets("0400 0000 0000") + [UInt8](repeating: 1, count: 506)
        #expect(assembler.receive(full.span) == .incomplete)
        #expect(assembler.receive([UInt8](repeating: 1, count: 513).span) == .rejected(.overflow))
        #expect(!assembler.isAssembling)
        #expect(assembler.receive(handshake.span) == .message(.ok))
    }

    @Test("reset forgets what was begun")
    func reset() {
        var assembler = MessageAssembler()
        #expect(assembler.receive(handshake.span.extracting(0..<10)) == .incomplete)
        assembler.reset()
        #expect(assembler.receive(handshake.span) == .message(.ok))
    }

    @Test("100,000 random frames never trap and never exceed the limits")
    func randomFrames() {
        var random = SplitMix64(seed: 4)
        var assembler = MessageAssembler()
        var frame: [UInt8] = []
        var messages = 0
        for _ in 0..<100_000 {
            frame = random.octets(Int(random.next() % 40))
            // Mostly small length fields, so that messages do end.
            if frame.count > 4, random.next() % 4 != 0 { frame[0] = 0 }
            if case .message = assembler.receive(frame.span) { messages += 1 }
            guard assembler.payload.count <= 2048 else {
                Issue.record("payload of \(assembler.payload.count) octets")
                return
            }
        }
        #expect(assembler.receive([UInt8](repeating: 0, count: 513).span) == .rejected(.overflow))
        #expect(assembler.receive(handshake.span) == .message(.ok))
    }
}
