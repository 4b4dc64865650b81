// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import readerd

@Suite struct LinkPacingTests {
    private static func at(milliseconds: Int) -> Instant { Instant.origin + .milliseconds(milliseconds) }

    @Test func theNewestReadWaitsForThePause() {
        var pacing = LinkPacing()
        let start = Self.at(milliseconds: 1000)
        #expect(pacing.deadline(at: start) == nil)
        pacing.want(from: 1)
        #expect(pacing.deadline(at: start) == start)
        var reads = [pacing.takeRead(at: start), pacing.takeRead(at: start)]
        for first in UInt64(2)...9 { pacing.want(from: first) }
        #expect(pacing.deadline(at: start) == Self.at(milliseconds: 1020))
        reads.append(pacing.takeRead(at: Self.at(milliseconds: 1020)))
        pacing.want(from: 3)
        pacing.dropRead()
        reads.append(pacing.takeRead(at: Self.at(milliseconds: 2000)))
        #expect(reads == [1, nil, 9, nil])
    }
}
