// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Octets
import Peripheral
import Testing

/// Core 5.4, Vol 3, Part A, 3.1 and 7.2.1.
@Suite struct L2CAPReassemblyTests {
    static let read: [UInt8] = [0x03, 0x00, 0x04, 0x00, 0x0A, 0x03, 0x00]

    /// The result of a fragment, with the payload.
    private func feed(
        _ reassembly: inout L2CAPReassembly, _ fragment: [UInt8], start: Bool
    ) -> (L2CAPReassembly.Outcome, payload: [UInt8]) {
        let outcome = reassembly.receive(fragment.span, isStart: start)
        guard case .complete(_, let payload, let inFragment) = outcome else { return (outcome, []) }
        return (outcome, Array((inFragment ? fragment : reassembly.octets)[payload]))
    }

    @Test func headerIsLengthAndChannel() {
        var octets: [UInt8] = [0xEE]
        L2CAPFrame.appendHeader(payloadCount: 0x0102, channel: .securityManager, to: &octets)
        #expect(octets == [0xEE, 0x02, 0x01, 0x06, 0x00])
        octets.removeAll()
        L2CAPFrame.appendHeader(payloadCount: 70_000, channel: .attribute, to: &octets)
        L2CAPFrame.appendHeader(payloadCount: -1, channel: .signalling, to: &octets)
        #expect(octets == [0xFF, 0xFF, 0x04, 0x00, 0x00, 0x00, 0x05, 0x00])
    }

    @Test func wholePDUIsNotCopied() {
        var reassembly = L2CAPReassembly()
        let outcome = reassembly.receive(L2CAPReassemblyTests.read.span, isStart: true)
        #expect(outcome == .complete(.attribute, payload: 4..<7, inFragment: true))
        #expect(reassembly.octets.isEmpty)
    }

    @Test func emptyPayloadIsAPDU() {
        var reassembly = L2CAPReassembly()
        #expect(
            reassembly.receive(([0, 0, 0x40, 0] as [UInt8]).span, isStart: true)
                == .complete(L2CAPChannelID(rawValue: 0x40), payload: 4..<4, inFragment: true))
        #expect(reassembly.receive(([0, 0] as [UInt8]).span, isStart: true) == .incomplete)
        #expect(
            reassembly.receive(([4, 0] as [UInt8]).span, isStart: false)
                == .complete(.attribute, payload: 4..<4, inFragment: false))
    }

    @Test func everySplitInThreeGivesTheSamePDU() {
        let pdu = L2CAPReassemblyTests.read
        var reassembly = L2CAPReassembly()
        for first in 1..<pdu.count {
            for second in first..<pdu.count {
                #expect(feed(&reassembly, Array(pdu[..<first]), start: true).0 == .incomplete)
                // An empty continuation changes nothing.
                #expect(feed(&reassembly, Array(pdu[first..<second]), start: false).0 == .incomplete)
                let last = feed(&reassembly, Array(pdu[second...]), start: false)
                #expect(last.0 == .complete(.attribute, payload: 4..<7, inFragment: false))
                #expect(last.payload == [0x0A, 0x03, 0x00])
            }
        }
        #expect(reassembly.interruptions == 0)
    }

    @Test func octetByOctet() {
        var reassembly = L2CAPReassembly()
        for (position, octet) in L2CAPReassemblyTests.read.enumerated() {
            let result = feed(&reassembly, [octet], start: position == 0)
            #expect((result.payload == [0x0A, 0x03, 0x00]) == (position == 6))
        }
    }

    @Test func longestPayloadIsTakenAndOneMoreIsNot() {
        var reassembly = L2CAPReassembly(maximumPayload: 5)
        let longest: [UInt8] = [5, 0, 4, 0, 1, 2, 3, 4, 5]
        #expect(feed(&reassembly, longest, start: true).payload == [1, 2, 3, 4, 5])
        #expect(feed(&reassembly, [6, 0, 4, 0, 1, 2], start: true).0 == .dropped(.tooLong(announced: 6)))
        // The rest of it is expected, and not reported again; then nothing is.
        #expect(feed(&reassembly, [3, 4], start: false).0 == .incomplete)
        #expect(feed(&reassembly, [5, 6], start: false).0 == .incomplete)
        #expect(feed(&reassembly, [7], start: false).0 == .dropped(.continuationWithoutStart))
        #expect(feed(&reassembly, longest, start: true).payload == [1, 2, 3, 4, 5])
    }

    @Test func tooLongIsFoundWhenTheHeaderIsWhole() {
        var reassembly = L2CAPReassembly(maximumPayload: 5)
        #expect(feed(&reassembly, [0xFF], start: true).0 == .incomplete)
        #expect(feed(&reassembly, [0xFF, 4], start: false).0 == .incomplete)
        #expect(feed(&reassembly, [0, 9, 9], start: false).0 == .dropped(.tooLong(announced: 65535)))
        #expect(feed(&reassembly, Array(repeating: 9, count: 65533), start: false).0 == .incomplete)
        #expect(feed(&reassembly, [9], start: false).0 == .dropped(.continuationWithoutStart))
        #expect(reassembly.octets.count <= 9)
    }

    @Test func moreThanAnnouncedIsDropped() {
        var reassembly = L2CAPReassembly()
        #expect(feed(&reassembly, L2CAPReassemblyTests.read + [0], start: true).0 == .dropped(.longerThanAnnounced))
        #expect(feed(&reassembly, [3, 0, 4, 0, 0x0A], start: true).0 == .incomplete)
        #expect(feed(&reassembly, [3, 0, 0], start: false).0 == .dropped(.longerThanAnnounced))
        #expect(feed(&reassembly, [0], start: false).0 == .dropped(.continuationWithoutStart))
        #expect(feed(&reassembly, L2CAPReassemblyTests.read, start: true).payload == [0x0A, 3, 0])
    }

    @Test func hugeContinuationStaysBounded() {
        var reassembly = L2CAPReassembly(maximumPayload: 8)
        #expect(feed(&reassembly, [8, 0, 4, 0, 1], start: true).0 == .incomplete)
        let huge = [UInt8](repeating: 1, count: 60_000)
        #expect(feed(&reassembly, huge, start: false).0 == .dropped(.longerThanAnnounced))
        #expect(reassembly.octets.capacity < 1_000)
    }

    @Test func continuationWithoutStartIsDropped() {
        var reassembly = L2CAPReassembly()
        #expect(feed(&reassembly, [1, 2], start: false).0 == .dropped(.continuationWithoutStart))
        #expect(feed(&reassembly, [], start: false).0 == .dropped(.continuationWithoutStart))
        #expect(feed(&reassembly, [3, 0], start: true).0 == .incomplete)
        reassembly.reset()
        #expect(feed(&reassembly, [4, 0], start: false).0 == .dropped(.continuationWithoutStart))
    }

    @Test func startWhilePendingLosesTheOldAndKeepsTheNew() {
        var reassembly = L2CAPReassembly()
        #expect(feed(&reassembly, [3, 0, 4, 0, 0x0B], start: true).0 == .incomplete)
        #expect(feed(&reassembly, [3, 0, 4, 0, 0x0A], start: true).0 == .dropped(.startWhilePending))
        #expect(feed(&reassembly, [3, 0], start: false).payload == [0x0A, 3, 0])
        #expect(feed(&reassembly, [3, 0, 4, 0, 0x0B], start: true).0 == .incomplete)
        #expect(feed(&reassembly, L2CAPReassemblyTests.read, start: true).payload == [0x0A, 3, 0])
        #expect(reassembly.interruptions == 2)
    }

    @Test func emptyStartIsDropped() {
        var reassembly = L2CAPReassembly()
        #expect(feed(&reassembly, [], start: true).0 == .dropped(.emptyStart))
        #expect(feed(&reassembly, [1], start: false).0 == .dropped(.continuationWithoutStart))
    }

    @Test func anyFragmentsStayBoundedAndInRange() {
        var random = SplitMix64(seed: 0x4C32_4341)
        var reassembly = L2CAPReassembly(maximumPayload: 32)
        var completed = 0
        for _ in 0..<100_000 {
            var fragment = (0..<Int(random.next() % 12)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            // Half of the starts have a length that can be met.
            if fragment.count > 1, random.next() % 2 == 0 {
                fragment.replaceSubrange(0..<2, with: [fragment[0] % 9, 0])
            }
            let outcome = reassembly.receive(fragment.span, isStart: random.next() % 3 == 0)
            if case .complete(_, let payload, let inFragment) = outcome {
                completed += 1
                #expect((inFragment ? fragment : reassembly.octets).indices.contains(payload.lowerBound - 1))
                #expect(payload.upperBound == (inFragment ? fragment : reassembly.octets).count)
            }
            if reassembly.octets.count > 36 { Issue.record("holds \(reassembly.octets.count) octets") }
        }
        #expect(completed > 1_000)
    }
}
