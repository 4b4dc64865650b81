// SPDX-License-Identifier: Apache-2.0

import Octets
import Testing

@testable import Peripheral

/// Core 5.4, Vol 4, Part A, 2: the type octet; Part E, 5.4: the packets.
@Suite struct H4FramerTests {
    /// One packet of each type that a host receives.
    static let toHost: [[UInt8]] = [
        [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00],
        [0x02, 0x40, 0x20, 0x07, 0x00, 0x03, 0x00, 0x04, 0x00, 0x02, 0x17, 0x00],
        [0x03, 0x41, 0x00, 0x02, 0xAA, 0xBB],
        [0x05, 0x42, 0x20, 0x03, 0xC0, 0x01, 0x02, 0x03],
        [0x04, 0x10, 0x00],
        [0x02, 0x40, 0x10, 0x00, 0x00],
    ]
    /// One packet of each type that a controller receives.
    static let toController: [[UInt8]] = [
        [0x01, 0x03, 0x0C, 0x00],
        [0x01, 0x0A, 0x20, 0x01, 0x01],
        [0x02, 0x40, 0x00, 0x01, 0x00, 0x55],
        [0x03, 0x41, 0x00, 0x00],
        [0x05, 0x42, 0x20, 0x01, 0x00, 0x09],
    ]

    private func feed(_ framer: inout H4Framer, _ octets: some Collection<UInt8>) throws -> [[UInt8]] {
        var packets: [[UInt8]] = []
        try framer.receive(Array(octets).span) { packet in
            var copy: [UInt8] = []
            copy.append(packet)
            packets.append(copy)
        }
        return packets
    }

    @Test(arguments: [(H4Receiver.host, toHost), (H4Receiver.controller, toController)])
    func everyPacketComesWholeHoweverTheStreamIsSplit(receiver: H4Receiver, packets: [[UInt8]]) throws {
        let stream = packets.flatMap { $0 }
        for first in 0...stream.count {
            for second in first...stream.count {
                var framer = H4Framer(receiver: receiver)
                var received = try feed(&framer, stream[..<first])
                received += try feed(&framer, stream[first..<second])
                received += try feed(&framer, stream[second...])
                guard received == packets, framer.isBetweenPackets else {
                    Issue.record("split at \(first) and \(second)")
                    return
                }
            }
        }
    }

    @Test(arguments: [(H4Receiver.host, toHost), (H4Receiver.controller, toController)])
    func everyPacketComesWithItsLastOctet(receiver: H4Receiver, packets: [[UInt8]]) throws {
        var framer = H4Framer(receiver: receiver)
        for packet in packets {
            for octet in packet.dropLast() {
                #expect(try feed(&framer, [octet]).isEmpty)
                #expect(!framer.isBetweenPackets)
            }
            #expect(try feed(&framer, packet.suffix(1)) == [packet])
            #expect(framer.isBetweenPackets)
        }
    }

    @Test func aTruncatedPacketIsNotDelivered() throws {
        for packet in Self.toHost {
            for count in 1..<packet.count {
                var framer = H4Framer(receiver: .host)
                #expect(try feed(&framer, packet.prefix(count)).isEmpty)
                #expect(!framer.isBetweenPackets)
                // After a reset it is forgotten.
                framer.reset()
                #expect(try feed(&framer, Self.toHost[0]) == [Self.toHost[0]])
            }
        }
    }

    /// A complete packet is delivered in place.
    @Test func aWholePacketIsNotCopied() throws {
        let packets = Self.toHost
        let stream = packets.flatMap { $0 }
        var framer = H4Framer(receiver: .host)
        var offsets: [Int] = []
        try stream.withUnsafeBufferPointer { stream in
            try framer.receive(stream.span) { packet in
                packet.withUnsafeBufferPointer { packet in
                    if let packet = packet.baseAddress, let start = stream.baseAddress {
                        offsets.append(packet - start)
                    }
                }
            }
        }
        #expect(offsets == [0, 7, 19, 25, 33, 36])
    }

    @Test func everyOtherTypeOctetIsAnError() throws {
        for octet in UInt8.min...UInt8.max where !(0x01...0x05).contains(octet) {
            for receiver in [H4Receiver.host, .controller] {
                var framer = H4Framer(receiver: receiver)
                let expected = H4Error(.unknownType(octet), at: 0)
                guard #expect(throws: expected, performing: { try feed(&framer, [octet]) }) != nil else { return }
            }
        }
        #expect(H4Error(.unknownType(0x0A), at: 0).description == "unknown HCI packet type 0x0A")
    }

    @Test func packetsOfTheOtherDirectionAreErrors() {
        var host = H4Framer(receiver: .host)
        #expect(throws: H4Error(.wrongDirection(.command), at: 0)) { try feed(&host, [0x01]) }
        var controller = H4Framer(receiver: .controller)
        #expect(throws: H4Error(.wrongDirection(.event), at: 0)) { try feed(&controller, [0x04]) }
    }

    @Test func packetsBeforeTheFaultAreDelivered() throws {
        let packet = Self.toHost[0]
        var framer = H4Framer(receiver: .host)
        var count = 0
        let expected = H4Error(.unknownType(0x7F), at: 2 * packet.count)
        #expect(throws: expected) {
            try framer.receive((packet + packet + [0x7F] + packet).span) { _ in count += 1 }
        }
        #expect(count == 2)
        // The error stays until the stream is taken up anew.
        #expect(throws: expected) { try feed(&framer, packet) }
        framer.reset()
        #expect(try feed(&framer, packet) == [packet])
    }

    // MARK: Finding the beginning of packets (Core 5.4, Vol 4, Part A, 4)

    /// Octets that may precede the answer to Reset on the line.
    private static let before: [[UInt8]] = [
        [],
        [0x00],
        // Noise, a loader's text, and the rest of a packet whose beginning was lost.
        [0xFF, 0x7F, 0x80], Array("boot 1.2\r\n".utf8), [0x20, 0x07, 0x00, 0x03, 0x00, 0x04],
        // Beginnings of the answer that go on otherwise, and the answer to another command.
        [0x04], [0x04, 0x0E], [0x04, 0x0E, 0x04, 0x01, 0x03], [0x04, 0x04, 0x0E, 0x04],
        [0x04, 0x0E, 0x03, 0x01, 0x03, 0x0C],
        [0x04, 0x0E, 0x04, 0x01, 0x02, 0x10, 0x00], [0x04, 0x0E, 0x04, 0x04, 0x0E, 0x04],
        // A packet that would take all that follows for its own.
        [0x02, 0x40, 0x20, 0xFF, 0x0F], [0x04, 0x3E, 0xFF],
        // A sound packet: the controller does not know any more what it sent.
        [0x04, 0x05, 0x04, 0x00, 0x40, 0x00, 0x13],
    ]

    @Test(arguments: before)
    func theAnswerToResetIsFoundHoweverTheStreamIsSplit(noise: [UInt8]) throws {
        let answer: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x03, 0x0C, 0x00]
        let after: [UInt8] = [0x04, 0x0E, 0x04, 0x01, 0x01, 0x0C, 0x00]
        let stream = noise + answer + after
        for first in 0...stream.count {
            for second in first...stream.count {
                var framer = H4Framer(receiver: .host)
                framer.resynchronise()
                var received = try feed(&framer, stream[..<first])
                received += try feed(&framer, stream[first..<second])
                received += try feed(&framer, stream[second...])
                guard received == [answer, after], framer.skippedCount == noise.count, !framer.isSeeking else {
                    Issue.record("split at \(first) and \(second): \(received), skipped \(framer.skippedCount)")
                    return
                }
            }
        }
    }

    /// A later version may append return parameters; what is not the answer's is passed over for ever.
    @Test func whatTheAnswerIs() throws {
        var framer = H4Framer(receiver: .host)
        framer.resynchronise()
        let longer: [UInt8] = [0x04, 0x0E, 0x06, 0x05, 0x03, 0x0C, 0x00, 0xAA, 0xBB]
        #expect(try feed(&framer, longer) == [longer])

        framer.resynchronise()
        let status: [UInt8] = [0x04, 0x0F, 0x04, 0x00, 0x01, 0x03, 0x0C]
        for _ in 0..<1000 { #expect(try feed(&framer, status).isEmpty) }
        #expect(framer.isSeeking && framer.skippedCount == 7000 && framer.isBetweenPackets)
    }

    @Test func resynchronisingEndsAnErrorAndAPacketThatHasBegun() throws {
        let answer = Self.toHost[0]
        var framer = H4Framer(receiver: .host)
        #expect(throws: H4Error(.unknownType(0x7F), at: 0)) { try feed(&framer, [0x7F]) }
        framer.resynchronise()
        #expect(try feed(&framer, [0x7F] + answer) == [answer])
        // Noise has begun a packet of 4096 octets.
        #expect(try feed(&framer, [0x02, 0x40, 0x20, 0x00, 0x10, 0x01]).isEmpty)
        framer.resynchronise()
        #expect(try feed(&framer, answer) == [answer])
        // Found in part, and given up.
        framer.resynchronise()
        #expect(try feed(&framer, answer.prefix(4)).isEmpty)
        framer.reset()
        #expect(!framer.isSeeking && framer.isBetweenPackets)
        #expect(try feed(&framer, Self.toHost[1]) == [Self.toHost[1]])
    }

    @Test func theLongestPacketsAreTakenAndLongerOnesAreErrors() throws {
        func packet(_ header: [UInt8], _ count: Int) -> [UInt8] {
            header + [UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8)]
                + [UInt8](repeating: 0x5A, count: count)
        }
        for (header, type, limit) in [
            ([UInt8(0x02), 0x40, 0x20], H4PacketType.acl, H4Framer.maximumACLCount),
            ([0x05, 0x40, 0x00], .isochronous, H4Framer.maximumISOCount),
        ] {
            let longest = packet(header, limit)
            var framer = H4Framer(receiver: .host)
            #expect(try feed(&framer, longest) == [longest])
            #expect(try feed(&framer, longest.dropLast()) + feed(&framer, longest.suffix(1)) == [longest])

            let tooLong = packet(header, limit + 1)
            let expected = H4Error(.tooLong(type, count: limit + 1, limit: limit), at: 0)
            #expect(throws: expected) { try feed(&framer, tooLong) }
            // It is known with the header, in whatever pieces that comes.
            framer.reset()
            #expect(try feed(&framer, tooLong.prefix(4)).isEmpty)
            #expect(throws: expected) { try feed(&framer, tooLong[4..<5]) }
        }
        let event = [0x04, 0x3E, 0xFF] + [UInt8](repeating: 1, count: 255)
        var framer = H4Framer(receiver: .host)
        #expect(try feed(&framer, event) == [event])
    }

    @Test func nothingReceivedIsNothingDelivered() throws {
        var framer = H4Framer(receiver: .host)
        #expect(try feed(&framer, []).isEmpty)
        #expect(framer.isBetweenPackets)
    }
}
