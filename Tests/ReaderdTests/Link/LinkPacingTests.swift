// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import readerd

@Suite struct LinkPacingTests {
    private static func at(milliseconds: Int) -> Instant { Instant.origin + .milliseconds(milliseconds) }

    private static func read(_ first: UInt64) -> LinkPacing.Read { LinkPacing.Read(first: first, octets: 4000) }

    @Test func theNewestReadWaitsForThePause() {
        var pacing = LinkPacing()
        let start = Self.at(milliseconds: 1000)
        #expect(pacing.deadline(at: start) == nil)
        pacing.want(Self.read(1))
        #expect(pacing.deadline(at: start) == start)
        var reads = [pacing.takeRead(at: start), pacing.takeRead(at: start)]
        for first in UInt64(2)...9 { pacing.want(Self.read(first)) }
        #expect(pacing.deadline(at: start) == Self.at(milliseconds: 1020))
        reads.append(pacing.takeRead(at: Self.at(milliseconds: 1020)))
        pacing.want(Self.read(3))
        pacing.dropRead()
        reads.append(pacing.takeRead(at: Self.at(milliseconds: 2000)))
        #expect(reads == [Self.read(1), nil, Self.read(9), nil])
    }
}
