// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import VirtualRadio

/// Tests of the radio: Core 5.4, Vol 4, Part E, 7.8.28 to 7.8.30; Vol 6, Part F, 4.1.6.
@Suite struct RadioTestTests {
    private let air = Air(seed: 1)

    private func advance(_ milliseconds: Int64) { air.advance(to: air.now + .milliseconds(milliseconds)) }

    /// A packet of 37 octets each 625 µs, one of 255 octets each 2.5 ms.
    @Test(arguments: [(37, 1600), (255, 400)] as [(UInt8, Int)])
    func packetsAreCounted(_ length: UInt8, _ count: Int) {
        let (sender, receiver) = (RawHost(air, address: 1), RawHost(air, address: 2))
        #expect(sender.status(0x201E, [0x13, length, 0x00]) == 0)
        advance(95)
        #expect(receiver.send(0x201D, [0x13]) == [0x04, 0x0E, 0x04, 0x01, 0x1D, 0x20, 0x00])
        advance(1000)
        #expect(sender.send(0x201F) == [0x04, 0x0E, 0x06, 0x01, 0x1F, 0x20, 0x00, 0x00, 0x00])
        advance(100)
        #expect(receiver.send(0x201F).suffix(3) == [0x00, UInt8(count & 0xFF), UInt8(count >> 8)])
        #expect(sender.controller.violations == [] && receiver.controller.violations == [])
    }

    /// Only packets on its channel that reach it.
    @Test func packetsThatAreNotReceived() {
        let (sender, other, deaf) = (RawHost(air, address: 1), RawHost(air, address: 2), RawHost(air, address: 3))
        air.setLoss(from: sender.controller, to: deaf.controller, share: 1)
        #expect(other.status(0x201D, [0x12]) == 0 && deaf.status(0x201D, [0x13]) == 0)
        #expect(sender.status(0x201E, [0x13, 37, 0x07]) == 0)
        advance(1000)
        #expect(other.send(0x201F).suffix(3) == [0, 0, 0] && deaf.send(0x201F).suffix(3) == [0, 0, 0])
    }

    /// A test excludes other activities, and the reverse; a reset ends it.
    @Test func testsExcludeActivities() {
        let host = RawHost.ready(air, address: 1)
        #expect(host.status(0x201F) == 0x0C)
        host.advertiseLegacy()
        #expect(host.status(0x201D, [0]) == 0x0C && host.status(0x201E, [0, 0, 0]) == 0x0C)
        #expect(host.status(0x200A, [0]) == 0 && host.status(0x201E, [0, 0, 0]) == 0)
        #expect(host.status(0x201D, [0]) == 0x0C && host.status(0x200A, [1]) == 0x0C)
        #expect(host.status(0x200C, [1, 0]) == 0x0C)
        #expect(host.status(0x0C03) == 0 && host.status(0x201F) == 0x0C && host.status(0x200A, [1]) == 0)
    }

    @Test(arguments: [(0x201D, [0x28]), (0x201E, [0x28, 0, 0]), (0x201E, [0, 0, 8])] as [(UInt16, [UInt8])])
    func parametersOutOfRange(_ opcode: UInt16, _ parameters: [UInt8]) {
        #expect(RawHost(air, address: 1).status(opcode, parameters) == 0x12)
    }

    /// Version 4: other PHYs and a constant tone are not supported.
    @Test(
        arguments: [
            ([0x13, 37, 0, 1, 0, 0, 2, 0, 1, 0x7F], 0x00), ([0x13, 37, 0, 2, 0, 0, 2, 0, 1, 0], 0x11),
            ([0x13, 37, 0, 1, 2, 0, 2, 0, 1, 0], 0x11), ([0x13, 37, 0, 1, 0, 0, 2, 0, 1], 0x12),
        ] as [([UInt8], UInt8)])
    func versionWithPower(_ parameters: [UInt8], _ status: UInt8) {
        var profile = ControllerProfile.modern
        profile.powerControl = true
        #expect(RawHost(air, profile, address: 1).status(0x207B, parameters) == status)
    }
}
