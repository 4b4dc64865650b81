// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Timekeeping

@testable import Peripheral

/// Core 5.4, Vol 3, Part A, 4, and Part H, 3.
@Suite struct L2CAPSignallingTests {
    /// The response of a link without services, without the L2CAP header.
    private func answer(_ pdu: String) -> String {
        let rig = ChannelRig([])
        let frames = rig.signal(pdu)
        #expect(frames.count < 2 && rig.takeEvents() == [])
        return frames.first.map { String($0.dropFirst(8)) } ?? ""
    }

    @Test func answersGoToTheSignallingChannel() {
        let rig = ChannelRig([])
        #expect(rig.signal("02 21 0000") == ["0600" + "0500" + "012102000000"])
    }

    @Test func unknownRequestsAreNotUnderstood() {
        // Echo, information and connection requests of BR/EDR; enhanced ones too short; a code of the future.
        for code in ["00", "02", "04", "08", "0a", "17", "19", "1b", "ff"] {
            #expect(answer(code + "21 0000") == packed("01 21 0200 0000"), "code \(code)")
        }
    }

    @Test func parameterUpdateFromACentralIsRejected() {
        #expect(answer("12 07 0800 0600 0c00 0000 c800") == packed("01 07 0200 0000"))
    }

    @Test func creditBasedConnectionIsRefused() {
        #expect(answer("14 09 0a00 8000 4000 1700 1700 0100") == packed("15 09 0a00 0000 0000 0000 0000 0200"))
        #expect(answer("14 09 0800 8000 4000 1700 1700") == packed("01 09 0200 0000"))
    }

    @Test func disconnectionOfAnUnknownChannelIsRejected() {
        #expect(answer("06 03 0400 4000 4100") == packed("01 03 0600 0200 4000 4100"))
        #expect(answer("06 03 0200 4000") == packed("01 03 0200 0000"))
    }

    @Test func moreThanTheMTUIsRejected() {
        #expect(answer("02 05 1300" + "00".times(19)) == packed("01 05 0200 0000"))
        #expect(answer("02 05 1400" + "00".times(20)) == packed("01 05 0400 0100 1700"))
    }

    @Test func lengthThatIsWrongIsNotUnderstood() {
        #expect(answer("12 07 0800 0600") == packed("01 07 0200 0000"))
        #expect(answer("12 07 0000 0600") == packed("01 07 0200 0000"))
    }

    @Test func responsesAndIndicationsAreNeverAnswered() {
        for code: UInt8 in [1, 3, 5, 7, 9, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x16, 0x18, 0x1A] {
            #expect(answer(hex([code]) + "21 0000") == "", "code \(code)")
            #expect(answer(hex([code]) + "21 0000" + "00".times(40)) == "", "code \(code)")
        }
    }

    @Test func illegalIdentifierAndShortPDUsAreIgnored() {
        #expect(answer("12 00 0000") == "")
        #expect(answer("") == "")
        #expect(answer("12") == "")
        #expect(answer("12 07") == "")
        #expect(answer("12 07 00") == "")
    }

    @Test func anyOctetsGetAtMostOneShortAnswer() {
        var random = SplitMix64(seed: 0x5349_4700)
        for _ in 0..<20_000 {
            let pdu = (0..<Int(random.next() % 30)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            let response = octets(answer(hex(pdu)))
            if !response.isEmpty, response.count != 4 + Int(response[2]) || response[1] != pdu[1] {
                Issue.record("\(hex(pdu)) is answered with \(hex(response))")
            }
        }
    }

    @Test func pairingIsNotSupported() {
        func answer(_ pdu: String) -> String {
            var response: [UInt8] = []
            SecurityManagerRefusal.receive(octets(pdu).span, response: &response)
            return hex(response)
        }
        #expect(answer("01 03 00 01 10 07 07") == "0505")
        #expect(answer("01") == "0505")
        #expect(answer("") == "")
        for code: UInt8 in 0...255 where code != 1 { #expect(answer(hex([code]) + "00") == "") }
    }

    // MARK: - Connection Parameter Update Request (4.20, 4.21)

    private static let wanted = ConnectionParameters(
        minimumInterval: 12, maximumInterval: 24, latency: 0, supervisionTimeout: 400)
    private static let request = "0c000500" + packed("12 01 0800 0c00 1800 0000 9001")

    @Test func parametersAreAskedForOnce() {
        for answer in ["13 01 0200 0000", "13 01 0200 0100", "01 01 0200 0000"] {
            let rig = ChannelRig([])
            rig.channels.request(Self.wanted, at: rig.now)
            #expect(rig.takeFrames() == [Self.request])
            #expect(rig.channels.deadline == rig.now + .seconds(30))
            // Another identifier, and a length that is wrong, are not the answer.
            #expect(rig.signal("13 02 0200 0000") == [] && rig.signal("13 01 0400 0000 0000") == [])
            #expect(rig.signal("13 01 0100 00") == [] && rig.channels.deadline != nil)
            #expect(rig.signal(answer) == [] && rig.channels.deadline == nil)
            #expect(
                rig.channels.parameters == .answered(accepted: answer.hasPrefix("13 01 0200 0000")))
            // Neither a refusal nor an acceptance is asked for again.
            rig.channels.request(Self.wanted, at: rig.now)
            #expect(rig.takeFrames() == [])
        }
    }

    @Test func parametersThatAreNotAnsweredAreGivenUp() {
        let rig = ChannelRig([])
        rig.channels.request(Self.wanted, at: rig.now)
        // The answer cannot come before the request.
        #expect(rig.signal("13 01 0200 0000") == [Self.request])
        rig.channels.advance(to: rig.now + .milliseconds(29_999))
        #expect(rig.channels.deadline != nil)
        rig.channels.advance(to: rig.now + .seconds(30))
        #expect(rig.channels.deadline == nil && rig.channels.parameters == .answered(accepted: false))
    }
}
