// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import MatterSession

/// Core 4.19: the Bluetooth transport.
struct BTPTests {
    /// Every segment of the recorded flows, from what the central writes and the device's messages.
    @Test(arguments: [(BTPRecording.wide, 247), (BTPRecording.narrow, 23)])
    func theRecordings(text: String, attMTU: Int) throws {
        let flow = BTPFlow(text)
        let rig = BTPRig(attMTU: attMTU)
        var expected: [[UInt8]] = []
        for (index, step) in flow.steps.enumerated() {
            switch step {
            case .subscription: rig.subscribe()
            case .write(let octets): rig.write(octets)
            case .indication(let octets):
                expected.append(octets)
                if let message = try flow.message(beginningAt: index) { rig.send(message) }
            }
        }
        #expect(rig.fault == nil && rig.indications.count == expected.count)
        for (indication, recorded) in zip(rig.indications, expected) { #expect(hex(indication) == hex(recorded)) }
        #expect(rig.messages == (try flow.writtenMessages()))
    }

    /// 4.19.3: the segment size from the smaller of both MTU, the window from the smaller of both.
    @Test(arguments: [
        (23, "0000", "06", "1400", "06"), (517, "0000", "06", "f400", "06"), (247, "6400", "06", "6100", "06"),
        (100, "0002", "03", "6100", "03"), (23, "1500", "ff", "1400", "06"), (0, "0000", "02", "1400", "02"),
    ])
    func handshake(attMTU: Int, mtu: String, window: String, size: String, agreed: String) {
        let rig = BTPRig(attMTU: attMTU)
        rig.write(octets("656c 04000000 \(mtu) \(window)"))
        #expect(rig.indications == [])
        rig.subscribe()
        #expect(rig.indications.map(hex) == ["656c04\(size)\(agreed)"] && rig.fault == nil)
        // Also in the other order.
        let other = BTPRig(attMTU: attMTU)
        other.subscribe()
        other.write(octets("656c 54300000 \(mtu) \(window)"))
        #expect(other.indications == rig.indications)
    }

    @Test(arguments: [
        ("656c 05000000 0000 06", BTPFault.noCommonVersion), ("656c 00000000 0000 06", .noCommonVersion),
        ("656c 04000000 0000 01", .window), ("656c 04000000 0000", .malformed),
        ("656c 04000000 0000 06 00", .malformed),
        ("656d 04000000 0000 06", .malformed), ("0d 00 00 0100 00", .malformed), ("", .malformed),
    ])
    func badHandshake(request: String, fault: BTPFault) {
        let rig = BTPRig(attMTU: 247)
        rig.write(octets(request))
        #expect(rig.fault == fault && rig.link.deadline == nil)
        rig.subscribe()
        rig.send([1])
        #expect(rig.indications == [])
    }

    @Test func handshakeTimes() {
        let rig = BTPRig(attMTU: 247)
        rig.advance(by: 14_999)
        rig.write(octets("656c 04000000 0000 06"))
        rig.advance(by: 14_999)
        #expect(rig.fault == nil)
        rig.advance(by: 1)
        #expect(rig.fault == .handshakeTimeout)
        let silent = BTPRig(attMTU: 247)
        silent.advance(by: 15_000)
        #expect(silent.fault == .handshakeTimeout)
        // Data before the subscription.
        let early = BTPRig(attMTU: 247)
        early.write(octets("656c 04000000 0000 06"))
        early.write(octets("05 00 0100 AA"))
        #expect(early.fault == .unexpectedHandshake)
    }

    /// Faults of segments, each in an open session with segments of 20 octets.
    @Test(arguments: [
        ("", BTPFault.malformed), ("01", .malformed), ("0d 00", .malformed), ("05 00 01", .malformed),
        ("00 00", .malformed), ("08 00 00 AA", .malformed), ("00 00 AA", .malformed),
        ("65 6c 04 00 00 00 00 00 06", .unexpectedHandshake), ("45 00 0000", .unexpectedHandshake),
        ("07 00 0100 AA", .brokenMessage), ("06 00 AA", .brokenMessage), ("02 00 AA", .brokenMessage),
        ("05 01 0100 AA", .sequence), ("05 FF 0100 AA", .sequence),
        ("0d 01 00 0100 AA", .acknowledgement), ("0d FF 00 0100 AA", .acknowledgement),
        ("05 00 0200 AA", .messageLength), ("05 00 0100 AABB", .messageLength), ("05 00 0105 AA", .messageLength),
        ("01 00 2000 AA", .segmentLength), ("05 00 1500 " + String(repeating: "00", count: 21), .segmentLength),
    ])
    func badSegments(segment: String, fault: BTPFault) {
        let rig = BTPRig.open(attMTU: 23)
        rig.write(octets(segment))
        #expect(rig.fault == fault && rig.messages == [] && rig.link.deadline == nil)
    }

    /// The same acknowledgement twice, a message within another, more octets than announced.
    @Test func faultsInTheCourse() {
        let twice = BTPRig.open(attMTU: 23)
        twice.write(octets("0d 00 00 0100 AA"))
        twice.write(octets("0d 00 01 0100 AA"))
        #expect(twice.fault == .acknowledgement)
        let full = String(repeating: "11", count: 16)
        let nested = BTPRig.open(attMTU: 23)
        nested.write(octets("01 00 4000 \(full)"))
        nested.write(octets("01 01 4000 \(full)"))
        #expect(nested.fault == .brokenMessage)
        let long = BTPRig.open(attMTU: 23)
        long.write(octets("01 00 1200 \(full)"))
        long.write(octets("02 01 \(full) 2222"))
        #expect(long.fault == .messageLength)
        let short = BTPRig.open(attMTU: 23)
        short.write(octets("01 00 1200 \(full)"))
        short.write(octets("06 01 22"))
        #expect(short.fault == .messageLength)
    }

    /// Some centrals write up to three octets more than agreed.
    @Test func toleratedLength() {
        let rig = BTPRig.open(attMTU: 23)
        let full = [UInt8](repeating: 7, count: 19)
        rig.write([0x05, 0, 19, 0] + full)
        #expect(rig.messages == [full])
    }

    /// An acknowledgement after 2.5 s without data to send; at once when one place is left.
    @Test func acknowledgements() {
        let rig = BTPRig.open(attMTU: 247)
        rig.write(octets("0d 00 00 0100 AA"))
        rig.advance(by: 2499)
        #expect(rig.indications == [])
        rig.advance(by: 1)
        #expect(rig.indications.map(hex) == ["080001"])
        for sequence in 1...4 as ClosedRange<UInt8> { rig.write([0x05, sequence, 1, 0, 0xAA]) }
        #expect(rig.indications.count == 1)
        rig.write([0x05, 5, 1, 0, 0xAA])
        #expect(rig.indications.map(hex) == ["080001", "080502"])
        // Without a confirmation of the last indication, the central may not send more than the window.
        rig.confirms = false
        for sequence in 6...11 as ClosedRange<UInt8> { rig.write([0x05, sequence, 1, 0, 0xAA]) }
        #expect(rig.fault == nil && rig.indications.count == 3)
        for sequence in 12...17 as ClosedRange<UInt8> { rig.write([0x05, sequence, 1, 0, 0xAA]) }
        #expect(rig.fault == .window)
    }

    /// The last place of the window is for a segment with an acknowledgement.
    @Test func lastPlaceOfTheWindow() {
        let rig = BTPRig.open(attMTU: 247)
        for value in 0..<7 as Range<UInt8> { rig.send([value]) }
        // The handshake response and four messages are without acknowledgement: one place is left.
        #expect(rig.indications.count == 4)
        rig.write(octets("05 00 0100 AA"))
        #expect(rig.indications.map(hex).last == "0d0005010004")
        rig.write(octets("05 01 0100 AA"))
        #expect(rig.indications.count == 5)
        rig.write(octets("08 05 02"))
        #expect(rig.indications.map(hex).suffix(2) == ["0d0206010005", "0507010006"])
    }

    /// One indication at a time: the next follows the confirmation.
    @Test func confirmations() {
        let rig = BTPRig.open(attMTU: 23)
        rig.confirms = false
        rig.send([UInt8](repeating: 1, count: 40))
        #expect(rig.indications.count == 1)
        rig.confirm()
        #expect(rig.indications.count == 2)
        rig.confirm()
        #expect(rig.indications.map(\.count) == [20, 20, 8])
    }

    /// Data without an acknowledgement for 15 s.
    @Test func noAcknowledgement() {
        let rig = BTPRig.open(attMTU: 247)
        rig.write(octets("0d 00 00 0100 AA"))
        rig.send([1])
        rig.advance(by: 14_999)
        #expect(rig.fault == nil)
        rig.advance(by: 1)
        #expect(rig.fault == .acknowledgementTimeout)
    }

    /// A link without data: both sides acknowledge acknowledgements, and the link stays; without them it closes.
    @Test func idle() {
        let rig = BTPRig.open(attMTU: 247)
        rig.write(octets("0d 00 00 0100 AA"))
        var acknowledged: UInt8 = 0
        var sequence: UInt8 = 0
        for _ in 0..<40 {
            rig.advance(by: 5000)
            guard let last = rig.indications.last, last[0] == 0x08, last[2] != acknowledged else { continue }
            acknowledged = last[2]
            sequence += 1
            rig.write([0x08, acknowledged, sequence])
        }
        #expect(rig.fault == nil && sequence >= 39)
        rig.advance(by: 59_999)
        #expect(rig.fault == nil)
        rig.advance(by: 5_001)
        #expect(rig.fault == .idle)
    }

    /// Sequence numbers wrap: 600 messages in both directions, each with up to six segments.
    @Test func longSession() {
        let rig = BTPRig.open(attMTU: 247)
        var generator = SplitMix64(seed: 5)
        var sequence: UInt8 = 0
        for number in 0..<600 {
            let message = generator.octets(Int.random(in: 1...1280, using: &generator))
            rig.send(message)
            var received: [UInt8] = []
            while received.count < message.count, let last = rig.indications.last {
                for octets in rig.indications {
                    guard let segment = try? BTPSegment(octets.span) else { continue }
                    received += segment.payload
                }
                rig.indications = []
                rig.write([0x08, (try? BTPSegment(last.span))?.sequence ?? 0, sequence])
                sequence &+= 1
            }
            #expect(received == message && rig.fault == nil, "message \(number)")
            rig.indications = []
        }
    }

    @Test func limits() {
        let rig = BTPRig.open(attMTU: 23)
        rig.confirms = false
        for _ in 0..<9 { rig.send([UInt8](repeating: 0, count: 60)) }
        #expect(rig.fault == .queue)
        let long = BTPRig.open(attMTU: 23)
        long.send([UInt8](repeating: 0, count: 1281))
        #expect(long.fault == .messageLength)
    }

    @Test func randomSegments() {
        var random = SplitMix64(seed: 6)
        for _ in 0..<2_000 {
            let rig = BTPRig.open(attMTU: 23)
            for sequence in 0..<6 as Range<UInt8> {
                var segment = random.octets(Int.random(in: 0..<24, using: &random))
                if segment.count > 1, Bool.random(using: &random) { segment[1] = sequence }
                rig.write(segment)
                rig.advance(by: Int.random(in: 0..<3000, using: &random))
            }
        }
    }
}
