// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import VirtualRadio

/// ACL data over links: Core 5.4, Vol 4, Part E, 4.1, 5.4.2, 7.7.19.
@Suite struct DataTests {
    /// Sends a frame in packets of `fragment` octets, waiting for credit, and returns the packets that the other host
    /// received.
    private func exchange(_ pair: Linked, _ frame: [UInt8], fragment: Int, credits: Int) -> [[UInt8]] {
        var offset = 0
        var free = credits
        var got: [[UInt8]] = []
        for _ in 0..<200 {
            while offset < frame.count, free > 0 {
                let next = min(frame.count, offset + fragment)
                pair.phone.acl(pair.phoneHandle, Array(frame[offset..<next]), isStart: offset == 0)
                offset = next
                free -= 1
            }
            pair.run(.milliseconds(30))
            for event in pair.phone.remove([0x04, 0x13]) { free += Int(event.packet[6]) }
            got += pair.reader.remove([0x02]).map(\.packet)
            if offset == frame.count, free == credits { break }
        }
        return got
    }

    @Test func allSizesInFragmentsOf27() {
        let pair = Linked(reader: .legacy, phone: .legacy)
        for count in [1, 2, 26, 27, 28, 53, 54, 55, 81, 100, 251, 512, 1000] {
            let frame = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let got = exchange(pair, frame, fragment: 27, credits: 8)
            #expect(got.count == (count + 26) / 27)
            #expect(got.flatMap { $0.dropFirst(5) } == frame)
            #expect(got.allSatisfy { $0.count - 5 <= 27 && Int($0[3]) == $0.count - 5 })
            #expect(got.enumerated().allSatisfy { $1[2] == ($0 == 0 ? 0x20 : 0x10) && $1[1] == 0x40 })
        }
        #expect(pair.violations == [])
    }

    /// Long packets are divided into 27 octets for a receiver without the extension, and stay whole after a data
    /// length exchange.
    @Test func longPackets() {
        let short = Linked(reader: .legacy)
        let frame = (0..<251).map { UInt8($0) }
        let cut = exchange(short, frame, fragment: 251, credits: 12)
        #expect(cut.map { $0.count - 5 } == [Int](repeating: 27, count: 9) + [8])
        #expect(cut.flatMap { $0.dropFirst(5) } == frame)
        let long = Linked()
        #expect(long.phone.status(0x2022, long.phoneHandle.octets + [0xFB, 0, 0x48, 0x08]) == 0)
        long.run(.milliseconds(100))
        #expect(exchange(long, frame, fragment: 251, credits: 12).map { $0.count - 5 } == [251])
    }

    /// A bounded number of packets moves at each connection event, where they are also reported.
    @Test func dataMovesAtConnectionEvents() {
        let pair = Linked(reader: .legacy, phone: .legacy)
        let before = pair.air.now
        for number in 0..<8 { pair.phone.acl(pair.phoneHandle, [UInt8(number)]) }
        #expect(pair.phone.controller.hasPackets == false)
        pair.run(.milliseconds(90))
        let arrived = pair.reader.remove([0x02])
        #expect(arrived.map { $0.packet[5] } == Array(0..<8))
        let times = arrived.map(\.at)
        #expect(times[0] > before && times[5] == times[0])
        #expect(times[6] - times[0] == .milliseconds(30) && times[7] == times[6])
        let completed = pair.phone.remove([0x04, 0x13])
        #expect(
            completed.map(\.packet) == [
                [0x04, 0x13, 0x05, 0x01] + pair.phoneHandle.octets + [6, 0],
                [0x04, 0x13, 0x05, 0x01] + pair.phoneHandle.octets + [2, 0],
            ])
        #expect(completed.map(\.at) == [times[0], times[6]])
    }

    /// Lost packets are retransmitted: all arrive once, in order.
    @Test func lossDelaysAndLosesNothing() {
        let pair = Linked(seed: 11, reader: .legacy, phone: .legacy, timeout: 200)
        pair.air.setLoss(from: pair.phone.controller, to: pair.reader.controller, share: 0.3)
        pair.air.setLoss(from: pair.reader.controller, to: pair.phone.controller, share: 0.3)
        let frame = (0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let start = pair.air.now
        let got = exchange(pair, frame, fragment: 27, credits: 8)
        #expect(got.flatMap { $0.dropFirst(5) } == frame)
        #expect(pair.air.now - start > .milliseconds(300))
        #expect(pair.violations == [])
    }

    @Test func whatAHostMayNotSend() {
        let pair = Linked(reader: .legacy, phone: .legacy)
        let controller = pair.phone.controller
        pair.phone.acl(pair.phoneHandle, [UInt8](repeating: 0, count: 28))
        pair.phone.acl(pair.phoneHandle, [])
        pair.phone.acl(0x0EEE, [1])
        pair.phone.acl(pair.phoneHandle | 0x2000, [1])
        pair.phone.acl(pair.phoneHandle | 0x4000, [1])
        #expect(controller.violations.count == 5)
        for _ in 0..<9 { pair.phone.acl(pair.phoneHandle, [1]) }
        #expect(controller.violations.last == "more ACL packets than the 8 that the controller holds")
        #expect(controller.violations.count == 6)
        #expect(pair.phone.remove([0x04, 0x1A]).map(\.packet) == [[0x04, 0x1A, 0x01, 0x01]])
        pair.run(.seconds(1))
        #expect(pair.reader.remove([0x02]).count == 8)
    }

    /// The buffers of a closed link's packets are free again.
    @Test func disconnectionFreesTheBuffers() {
        let pair = Linked(reader: .legacy, phone: .legacy)
        for _ in 0..<8 { pair.phone.acl(pair.phoneHandle, [1, 2, 3]) }
        #expect(pair.phone.status(0x0406, pair.phoneHandle.octets + [0x13]) == 0)
        pair.run(.milliseconds(100))
        #expect(pair.phone.controller.heldPackets == 0)
        #expect(pair.reader.remove([0x02]).isEmpty)
        #expect(pair.violations == [])
    }
}
