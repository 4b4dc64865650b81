// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Testing

@Suite("Message to frames (access protocol, 4)")
struct MessageFramerTests {
    private func frames(_ framer: inout MessageFramer, limit: Int) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var frame: [UInt8] = []
        while framer.next(limit: limit, into: &frame) {
            frames.append(frame)
        }
        return frames
    }

    @Test("a status is a header alone")
    func status() {
        var framer = MessageFramer()
        #expect(!framer.isSending)
        framer.begin(status: .signature)
        #expect(framer.isSending)
        #expect(frames(&framer, limit: 20) == [octets("0000 0000 fff4")])
        #expect(!framer.isSending)
        var frame: [UInt8] = [1]
        #expect(!framer.next(limit: 20, into: &frame))
        #expect(frame.isEmpty)
    }

    @Test("the header of the published handshake, and its frames of 7")
    func handshake() throws {
        var framer = MessageFramer()
        try framer.begin(payload: octets("120a100ffe0eb6ccfed9dd80aac04c1886aa62").span)
        #expect(
            frames(&framer, limit: 7) == [
                octets("00132e30000012"), octets("0a100ffe0eb6cc"), octets("fed9dd80aac04c"), octets("1886aa62"),
            ])
    }

    @Test(
        "every frame size the vendor's own code was run with, and the edges of ours",
        arguments: [6, 7, 20, 23, 64, 182, 185, 244, 509, 512])
    func sizes(limit: Int) throws {
        var framer = MessageFramer()
        var assembler = MessageAssembler()
        for count in [0, 1, 13, 14, 15, 58, 240, 503, 506, 507, 1792, 2047, 2048] {
            let payload = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
                for at in 0..<count { buffer[at] = UInt8(truncatingIfNeeded: at &* 7) }
                initialized = count
            }
            try framer.begin(payload: payload.span)
            let frames = frames(&framer, limit: limit)
            #expect(frames.count == (6 + count + limit - 1) / limit)
            #expect(frames.dropLast().allSatisfy { $0.count == limit })
            for (at, frame) in frames.enumerated() {
                let last = at == frames.count - 1
                #expect(assembler.receive(frame.span) == (last ? .message(.ok) : .incomplete))
            }
            #expect(assembler.payload == payload)
        }
    }

    @Test("never above 512 octets, never below the header, and the limit may change between frames")
    func clamped() throws {
        var framer = MessageFramer()
        try framer.begin(payload: [UInt8](repeating: 9, count: 1000).span)
        #expect(frames(&framer, limit: 5000).map(\.count) == [512, 494])
        framer.begin(status: .ok)
        #expect(frames(&framer, limit: -3).map(\.count) == [6])
        try framer.begin(payload: [UInt8](repeating: 9, count: 40).span)
        var frame: [UInt8] = []
        #expect(framer.next(limit: 20, into: &frame))
        #expect(frame.count == 20)
        #expect(framer.next(limit: 244, into: &frame))
        #expect(frame.count == 26)
        #expect(!framer.isSending)
    }

    @Test("more than 2048 octets: -7, and nothing is left to send")
    func overflow() {
        var framer = MessageFramer()
        let payload = [UInt8](repeating: 0, count: 2049)
        #expect(throws: StatusCode.overflow) { try framer.begin(payload: payload.span) }
        #expect(throws: StatusCode.overflow) {
            try framer.begin { (message) throws(StatusCode) in message += payload }
        }
        #expect(!framer.isSending)
        #expect(throws: StatusCode.encode) { try framer.begin { (_) throws(StatusCode) in throw .encode } }
        #expect(!framer.isSending)
    }

    @Test("composing in place gives the same message")
    func compose() throws {
        var framer = MessageFramer()
        try framer.begin { (message) throws(StatusCode) in
            message += octets("120a100ffe0eb6ccfed9dd80aac04c1886aa62")
        }
        #expect(frames(&framer, limit: 64) == [octets("00132e300000 120a100ffe0eb6ccfed9dd80aac04c1886aa62")])
    }
}
