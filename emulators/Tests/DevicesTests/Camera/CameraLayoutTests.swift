// SPDX-License-Identifier: Apache-2.0

import Devices
import TestSupport
import Testing
import WiFiTestSupport

@Suite struct CameraLayoutTests {
    private static let status = CameraStatus(
        notification: .wifiFailed, onboarding: .waiting, connectivity: .connectivityDown)

    @Test(arguments: [
        ("notification,onboarding,connectivity,text", "2f0100006f000000e1050000"),
        ("notification:int32le,onboarding:int32le,connectivity:int32le,text", "2f0100006f000000e1050000"),
        ("notification:int32be,onboarding:int32be,connectivity:int32be", "0000012f0000006f000005e1"),
        ("connectivity:int16le,notification:int16be", "e105012f"),
        ("notification", "2f010000"),
    ])
    func numbersStandWhereTheLayoutSays(_ text: String, _ octets: String) throws {
        let layout = try #require(CameraLayout(text))
        #expect(layout.encodedNumbers(Self.status) == CameraRig.value(octets, ""))
        #expect(layout.fixedCount == octets.count / 2)
        #expect(CameraLayout(layout.description) == layout)
    }

    @Test(arguments: [
        "", "text", "onboarding", "notification,notification", "notification:int8", "notification:",
        "text,notification",
        "notification,text,text", "notification,", "notification onboarding",
    ])
    func otherLayoutsAreNone(_ text: String) { #expect(CameraLayout(text) == nil) }

    /// At ATT_MTU 23 there are 20 octets: the numbers and eight of the text.
    @Test func textThatDoesNotFitIsCutSplitOrLeftOut() {
        let layout = CameraLayout()
        let numbers = CameraRig.value("2f0100006f000000e1050000", "")
        let text = "3 no\u{20AC} network"
        func values(_ overflow: CameraOverflow, _ limit: Int) -> [[UInt8]] {
            layout.values(Self.status, text: text, limit: limit, overflow)
        }
        #expect(values(.cut, 20) == [numbers + Array("3 no\u{20AC} ".utf8)])
        // Never within a character.
        for limit in 16...18 { #expect(values(.cut, limit) == [numbers + Array("3 no".utf8)]) }
        #expect(
            values(.split, 20) == ["3 no\u{20AC} ", "network"].map { numbers + Array($0.utf8) })
        #expect(values(.leaveOut, 20) == [numbers])
        for overflow in CameraOverflow.allCases {
            #expect(values(overflow, 28) == [numbers + Array(text.utf8)])
            #expect(values(overflow, 12) == [numbers])
            #expect(values(overflow, 11) == [])
        }
    }

    @Test func theSignalsAreThePublishedNumbers() {
        #expect(
            CameraSignal.all.map(\.rawValue) == [
                109, 111, 113, 121, 123, 155, 201, 203, 301, 302, 303, 501, 502, 503, 1307, 1501, 1505,
            ])
        #expect(CameraSignal.all.allSatisfy { $0.name != nil })
        #expect(CameraSignal(rawValue: 304).name == nil)
    }
}
