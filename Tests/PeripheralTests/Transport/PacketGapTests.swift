// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import Peripheral

/// A packet's octets follow each other on a serial line; H4 itself has no time-out.
@Suite struct PacketGapTests {
    private func time(_ milliseconds: Int) -> Instant { .origin + .milliseconds(milliseconds) }

    @Test func aPacketWhoseRestDoesNotComeIsGivenUp() {
        var gap = PacketGap()
        #expect(gap.deadline == nil && !gap.isOver(at: time(1_000_000)))
        gap.received(isWithinPacket: true, at: time(0))
        #expect(gap.deadline == time(200))
        #expect(!gap.isOver(at: time(199)))
        #expect(gap.isOver(at: time(200)))
    }

    /// Each octet counts anew: a slow line is not a silent one.
    @Test func whatGoesOnIsNotGivenUp() {
        var gap = PacketGap()
        for turn in 0..<1000 {
            gap.received(isWithinPacket: true, at: time(turn * 199))
            #expect(!gap.isOver(at: time(turn * 199 + 199)))
        }
        gap.received(isWithinPacket: false, at: time(199_000))
        #expect(gap.deadline == nil && !gap.isOver(at: time(1_000_000)))
    }
}
