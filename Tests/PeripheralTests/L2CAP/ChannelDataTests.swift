// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// K-frames and credits (Core 5.4, Vol 3, Part A, 3.4, 4.24, 10.1).
@Suite struct ChannelDataTests {
    private static let disconnection = "08000500" + packed("06 01 0400 4500 4000")

    private func bytes(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0) } }

    // MARK: - From the central

    @Test func unitInOneFrame() {
        let (rig, id) = ChannelRig.open()
        #expect(rig.frame([3, 0, 7, 8, 9]))
        #expect(rig.takeEvents() == [.received(id, value: 0..<3)] && rig.octets == [7, 8, 9])
        #expect(rig.frame([0, 0]))
        #expect(rig.takeEvents() == [.received(id, value: 3..<3)])
    }

    /// 3.4.3: only the first K-frame has the SDU length; an empty K-frame in between changes nothing.
    @Test func unitInSeveralFrames() {
        let (rig, id) = ChannelRig.open(ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 100))
        for split in 2...5 {
            let frame: [UInt8] = [3, 0, 7, 8, 9]
            #expect(rig.frame(Array(frame[..<split])) && rig.frame([]) == true)
            if split < 5 { #expect(rig.takeEvents() == [] && rig.frame(Array(frame[split...]))) }
            if split == 5 {
                // The SDU was whole, so the empty K-frame began one without a length.
                #expect(rig.takeEvents() == [.received(id, value: 9..<12), .closed(id)])
            } else {
                #expect(rig.takeEvents() == [.received(id, value: rig.octets.count - 3..<rig.octets.count)])
            }
        }
        #expect(rig.octets == [7, 8, 9, 7, 8, 9, 7, 8, 9, 7, 8, 9])
    }

    @Test func octetByOctet() {
        let (rig, id) = ChannelRig.open(ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 100))
        #expect(rig.frame([3, 0]))
        for octet: UInt8 in [7, 8] {
            #expect(rig.frame([octet]))
            #expect(rig.takeEvents() == [])
        }
        #expect(rig.frame([9]))
        #expect(rig.takeEvents() == [.received(id, value: 0..<3)] && rig.octets == [7, 8, 9])
    }

    @Test func longestUnitIsTaken() {
        let (rig, id) = ChannelRig.open()
        #expect(rig.frame([64, 0] + bytes(62)) && rig.frame([62, 63]))
        #expect(rig.takeEvents() == [.received(id, value: 0..<64)] && rig.octets == bytes(64))
    }

    @Test func framesThatBreakTheRulesCloseTheChannel() {
        let long = bytes(65)
        for frames in [
            [[]], [[5]],  // no SDU length
            [[65, 0]], [[0xFF, 0xFF, 1]],  // longer than the MTU
            [[2, 0, 1, 2, 3]], [[0, 0, 1]], [[2, 0, 1], [2, 3]],  // longer than announced
            [long], [[64, 0], long],  // longer than the MPS
        ] as [[[UInt8]]] {
            let (rig, id) = ChannelRig.open()
            for frame in frames { #expect(rig.frame(frame)) }
            #expect(rig.takeEvents() == [.closed(id)], "\(frames)")
            #expect(rig.takeFrames() == [Self.disconnection] && rig.octets.isEmpty)
        }
    }

    /// A frame that the host dropped as too long exceeded the MPS.
    @Test func frameThatWasDroppedClosesTheChannel() {
        let (rig, id) = ChannelRig.open()
        rig.dropped(0x41)
        rig.dropped(0x04)
        #expect(rig.takeEvents() == [])
        rig.dropped(0x40)
        #expect(rig.takeEvents() == [.closed(id)] && rig.takeFrames() == [Self.disconnection])
    }

    // MARK: - Credits for the central

    /// Four credits; two are given when two are left.
    @Test func creditsAreGivenBackInLots() {
        let (rig, _) = ChannelRig.open()
        for identifier in 1...3 {
            #expect(rig.frame([0, 0]) && rig.takeFrames() == [])
            #expect(rig.frame([0, 0]))
            #expect(rig.takeFrames() == ["08000500" + "16" + hex([UInt8(identifier)]) + packed("0400 4000 0200")])
        }
    }

    @Test func singleCreditIsGivenBackEachTime() {
        let (rig, _) = ChannelRig.open(ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 1))
        #expect(rig.frame([0, 0]))
        #expect(rig.takeFrames() == ["08000500" + packed("16 01 0400 4000 0100")])
        #expect(rig.frame([0, 0]))
        #expect(rig.takeFrames() == ["08000500" + packed("16 02 0400 4000 0100")])
    }

    /// Credits are also given within an SDU, otherwise a long one could not be completed.
    @Test func creditsWithinAUnit() {
        let (rig, id) = ChannelRig.open(ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 2))
        #expect(rig.frame([3, 0, 1]))
        #expect(rig.takeFrames() == ["08000500" + packed("16 01 0400 4000 0100")])
        #expect(rig.frame([2]) && rig.takeFrames().count == 1 && rig.frame([3]))
        #expect(rig.takeEvents() == [.received(id, value: 0..<3)])
    }

    @Test func pausedChannelGivesNone() {
        let (rig, id) = ChannelRig.open()
        rig.channels.setPaused(true, channel: id)
        for _ in 0..<4 { #expect(rig.frame([1, 0, 1])) }
        #expect(rig.takeFrames() == [] && rig.takeEvents().count == 4)
        rig.channels.setPaused(false, channel: id)
        #expect(rig.takeFrames() == ["08000500" + packed("16 01 0400 4000 0400")])
        rig.channels.setPaused(true, channel: id)
        for _ in 0..<4 { #expect(rig.frame([1, 0, 1])) }
        #expect(rig.takeEvents().count == 4 && rig.takeFrames() == [])
        // One more than it may.
        #expect(rig.frame([1, 0, 1]))
        #expect(rig.takeEvents() == [.closed(id)])
        #expect(rig.takeFrames() == ["08000500" + packed("06 02 0400 4500 4000")])
    }

    // MARK: - To the central

    @Test func unitIsCutByTheMPS() {
        let (rig, id) = ChannelRig.open(mtu: 64, mps: 23, credits: 10)
        #expect(rig.send(bytes(50), on: id) == .accepted)
        #expect(
            rig.takeFrames() == [
                "1700" + "4500" + "3200" + hex(bytes(21)), "1700" + "4500" + hex(bytes(44)[21...]),
                "0600" + "4500" + hex(bytes(50)[44...]),
            ])
        // One that fills the frame, and one octet more.
        #expect(rig.send(bytes(21), on: id) == .accepted && rig.send(bytes(22), on: id) == .accepted)
        #expect(
            rig.takeFrames() == [
                "1700" + "4500" + "1500" + hex(bytes(21)), "1700" + "4500" + "1600" + hex(bytes(21)),
                "0100" + "4500" + "15",
            ])
        #expect(rig.send([], on: id) == .accepted)
        #expect(rig.takeFrames() == ["02004500" + "0000"])
    }

    @Test func longestFrameIsBoundedByThisEnd() {
        let (rig, id) = ChannelRig.open(mtu: 65_535, mps: 65_535, credits: 10)
        #expect(rig.send(bytes(1500), on: id) == .accepted)
        let frames = rig.takeFrames()
        #expect(frames.count == 2 && frames[0].hasPrefix("e8034500" + "dc05") && frames[1].hasPrefix("f6014500"))
    }

    @Test func nothingIsSentWithoutCredit() {
        let (rig, id) = ChannelRig.open(credits: 0)
        #expect(rig.send([7], on: id) == .accepted && rig.send([8], on: id) == .accepted && rig.takeFrames() == [])
        // 4.24: the channel is named by the sender's endpoint; none, or another channel's, is ignored.
        for ignored in ["16 05 0400 4500 0000", "16 05 0400 4000 0100", "16 05 0200 4500", "16 00 0400 4500 0100"] {
            #expect(rig.signal(ignored) == [])
        }
        #expect(rig.signal("16 05 0400 4500 0100") == ["03004500" + "0100" + "07"])
        #expect(rig.signal("16 06 0400 4500 0100") == ["03004500" + "0100" + "08"])
        #expect(rig.signal("16 07 0400 4500 0100") == [] && rig.takeEvents() == [])
    }

    @Test func creditsComeInTheMiddleOfAUnit() {
        let (rig, id) = ChannelRig.open(mtu: 64, mps: 23, credits: 1)
        #expect(rig.send(bytes(50), on: id) == .accepted)
        #expect(rig.takeFrames() == ["17004500" + "3200" + hex(bytes(21))])
        #expect(rig.signal("16 05 0400 4500 0100") == ["17004500" + hex(bytes(44)[21...])])
        #expect(rig.signal("16 05 0400 4500 0900") == ["06004500" + hex(bytes(50)[44...])])
    }

    @Test func tooLongForTheCentral() {
        let (rig, id) = ChannelRig.open(mtu: 23, mps: 23)
        #expect(rig.send(bytes(24), on: id) == .tooLong && rig.send(bytes(23), on: id) == .accepted)
    }

    /// The queue holds 100 octets including lengths; it is writable again when half is sent.
    @Test func fullQueueIsBusyAndBecomesWritable() {
        let service = ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 4, queueOctets: 100)
        let (rig, id) = ChannelRig.open(service, credits: 0)
        #expect(rig.send(bytes(48), on: id) == .accepted && rig.send(bytes(48), on: id) == .accepted)
        #expect(rig.send([], on: id) == .busy && rig.send(bytes(1), on: id) == .busy)
        #expect(rig.takeFrames() == [] && rig.takeEvents() == [])
        #expect(rig.signal("16 05 0400 4500 0100").count == 1)
        #expect(rig.takeEvents() == [.writable(id)])
        // It is said once.
        #expect(rig.signal("16 05 0400 4500 0100").count == 1 && rig.takeEvents() == [])
    }

    /// A queue shorter than an SDU still accepts one.
    @Test func oneUnitIsAlwaysTaken() {
        let service = ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 4, queueOctets: 0)
        let (rig, id) = ChannelRig.open(service, credits: 1)
        #expect(rig.send(bytes(60), on: id) == .accepted && rig.send([], on: id) == .busy)
        #expect(rig.takeFrames().count == 1 && rig.takeEvents() == [.writable(id)])
        #expect(rig.send([], on: id) == .accepted)
    }

    @Test func channelsTakeTurns() {
        let (rig, first) = ChannelRig.open(mtu: 64, mps: 23, credits: 100)
        _ = rig.signal("14 02 0a00 8000 4600 4000 1700 6400")
        guard case .opened(let second, _) = rig.takeEvents().last else {
            Issue.record("not opened")
            return
        }
        #expect(rig.send(bytes(64), on: first) == .accepted && rig.send(bytes(64), on: second) == .accepted)
        #expect(
            rig.takeFrames().map { String($0.dropFirst(4).prefix(4)) } == [
                "4500", "4600", "4500", "4600", "4500", "4600",
            ])
    }

    /// Signalling precedes data, and responses precede all else: data must not precede the opening of the channel.
    @Test func answersGoFirst() {
        let (rig, id) = ChannelRig.open(credits: 10)
        var events: [ChannelEvent] = []
        #expect(rig.send([1], on: id) == .accepted)
        rig.channels.receiveSignal(
            octets("06090400" + "77007700").span, security: LinkSecurityLevel(), at: rig.now, events: &events)
        #expect(rig.frame([0, 0]) && rig.frame([0, 0]))
        #expect(
            rig.takeFrames() == [
                "0a000500" + packed("01 09 0600 0200 7700 7700"), "08000500" + packed("16 01 0400 4000 0200"),
                "03004500" + "0100" + "01",
            ])
    }
}
