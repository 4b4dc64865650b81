// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Known attacks on L2CAP of other hosts, one test each, and random input.
@Suite struct ChannelAttackTests {
    /// 4.24: more than 65535 credits in total close the channel.
    @Test func creditOverflow() {
        let (rig, id) = ChannelRig.open(credits: 1)
        #expect(rig.signal("16 05 0400 4500 feff") == [] && rig.takeEvents() == [])
        #expect(rig.signal("16 05 0400 4500 0100") == ["08000500" + packed("06 01 0400 4500 4000")])
        #expect(rig.takeEvents() == [.closed(id)])
        let (all, other) = ChannelRig.open(credits: 65_535)
        #expect(all.signal("16 05 0400 4500 ffff").count == 1 && all.takeEvents() == [.closed(other)])
    }

    /// An SDU in either direction ends with its channel, and the frame in flight is completed.
    @Test func disconnectionDuringData() {
        let (rig, id) = ChannelRig.open(mtu: 64, mps: 23, credits: 2)
        #expect(rig.send([UInt8](repeating: 1, count: 60), on: id) == .accepted)
        #expect(rig.frame([10, 0, 1, 2]))
        #expect(rig.takeFrame() == "17004500" + "3c00" + "01".times(21))
        #expect(rig.signal("06 05 0400 4000 4500") == ["08000500" + packed("07 05 0400 4000 4500")])
        #expect(rig.takeEvents() == [.closed(id)] && rig.channels.heldOctets == 0)
        #expect(!rig.frame([3, 4]) && rig.send([1], on: id) == .gone && rig.takeFrames() == [])
        // The endpoints may be used again, and the new channel knows nothing of the old one.
        _ = rig.signal("14 06 0a00 8000 4500 4000 1700 0100")
        guard case .opened(let next, _) = rig.takeEvents().last else {
            Issue.record("not opened")
            return
        }
        #expect(rig.frame([1, 0, 9], on: next.endpoint.rawValue))
        #expect(rig.takeEvents() == [.received(next, value: 0..<1)] && rig.takeFrames() == [])
    }

    /// CVE-2021-3434, CVE-2023-5055: more channel IDs than memory. Six do not fit a signalling PDU.
    @Test func tooManyEndpoints() {
        let rig = ChannelRig([ChannelService(spsm: 0x27, maximumPerLink: 16)])
        for count in 6...200 {
            let length = ChannelRig.word(UInt16(8 + 2 * count))
            let pdu = "17 03" + length + "2700 4000 4000 0100" + "5000".times(count)
            #expect(rig.signal(pdu) == ["08000500" + packed("01 03 0400 0100 1700")])
            let other = "19 03" + ChannelRig.word(UInt16(4 + 2 * count)) + "4000 4000" + "5000".times(count)
            let isShort = 8 + 2 * count <= 23
            #expect(rig.signal(other) == ["08000500" + packed("01 03 0400 0100 1700")] || isShort)
        }
        #expect(rig.channels.count == 0)
        // Seven endpoints of a reconfiguration fit, and are too many.
        #expect(rig.signal("19 03 1200 4000 4000" + "5000".times(7)) == ["06000500" + packed("1a 03 0200 0400")])
    }

    @Test func oddLengths() {
        let rig = ChannelRig([ChannelService(spsm: 0x27, maximumPerLink: 16)])
        for pdu in [
            "17 03 0900 2700 4000 4000 0100 50", "17 03 0b00 2700 4000 4000 0100 5000 51", "19 03 0500 4000 4000 50",
        ] {
            #expect(rig.signal(pdu) == ["06000500" + packed("01 03 0200 0000")])
        }
        // None at all: invalid parameters, and no endpoint in the answer.
        #expect(rig.signal("17 03 0800 2700 4000 4000 0100") == ["0c000500" + packed("18 03 0800 0000 0000 0000 0c00")])
        #expect(rig.channels.count == 0)
    }

    @Test func duplicatesInOneRequest() {
        let rig = ChannelRig([ChannelService(spsm: 0x27, mtu: 64, mps: 64, credits: 1, maximumPerLink: 16)])
        #expect(
            rig.signal("17 03 1200 2700 4000 4000 0100" + "5000".times(5))
                == ["16000500" + packed("18 03 1200 4000 4000 0100 0a00 4000 0000 0000 0000 0000")])
        #expect(rig.channels.count == 1)
    }

    @Test func framesOfChannelsThatNobodyOpened() {
        let (rig, _) = ChannelRig.open()
        for endpoint: UInt16 in [0, 1, 3, 7, 0x3F, 0x41, 0x45, 0x7F, 0x80, 0xFFFF] {
            #expect(!rig.frame([1, 0, 1], on: endpoint))
        }
        #expect(rig.takeEvents() == [] && rig.takeFrames() == [])
    }

    /// K-frames beyond the credits.
    @Test func dataWithoutCredit() {
        let (rig, id) = ChannelRig.open(ChannelService(spsm: 0x80, mtu: 64, mps: 64, credits: 2))
        rig.channels.setPaused(true, channel: id)
        #expect(rig.frame([64, 0, 1]) && rig.frame([2]) && rig.takeEvents() == [])
        #expect(rig.frame([3]) && rig.takeEvents() == [.closed(id)])
        // What still comes is ignored, and takes no memory.
        for _ in 0..<1000 { #expect(rig.frame([3])) }
        #expect(rig.channels.heldOctets == 0 && rig.takeEvents() == [])
    }

    /// A central that never reads the responses: eight wait, then the link is disconnected.
    @Test func answersThatAreNotTakenAreBounded() {
        let rig = ChannelRig()
        var events: [ChannelEvent] = []
        let pdu = octets("06010400" + "40004100")
        for count in 1...1000 {
            rig.channels.receiveSignal(pdu.span, security: LinkSecurityLevel(), at: rig.now, events: &events)
            #expect(rig.channels.isFlooded == (count > 8))
        }
        #expect(rig.takeFrames().count == 8)
    }

    /// A central that opens and closes continuously reuses the channels within their maximum.
    @Test func openingWithoutEnd() {
        let rig = ChannelRig([
            ChannelService(spsm: 0x80, maximumPerLink: 16), ChannelService(spsm: 0x81, maximumPerLink: 16),
        ])
        for index in 0..<64 {
            let spsm = index % 2 == 0 ? "8000" : "8100"
            let answer = rig.signal("14 01 0a00" + spsm + ChannelRig.word(0x40 + UInt16(index)) + "4000 4000 0100")
            #expect(answer.first?.hasSuffix(index < 16 ? "0000" : "0400") == true)
        }
        #expect(rig.channels.count == 16)
        for endpoint: UInt16 in 0x40..<0x50 {
            #expect(
                rig.signal("06 01 0400" + ChannelRig.word(endpoint) + ChannelRig.word(endpoint)).first?
                    .hasPrefix("0800050007") == true)
        }
        #expect(rig.channels.count == 0 && rig.channels.heldOctets == 0)
    }

    /// Random input: the link stays within its limits, channel IDs are unique and dynamic, no response is answered,
    /// every event is about an open channel.
    @Test func anyInputKeepsTheInvariants() {
        var central = RandomCentral(seed: 0x4C32_4341_5043)
        for step in 0..<100_000 {
            central.act()
            if let fault = central.fault {
                Issue.record("step \(step): \(fault)")
                return
            }
        }
        // The test has been where it should be.
        #expect(central.opened > 500 && central.received > 500 && central.sent > 500 && central.violations > 100)
    }
}
