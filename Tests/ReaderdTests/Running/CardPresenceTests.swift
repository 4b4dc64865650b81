// SPDX-License-Identifier: Apache-2.0

import Testing
import Timekeeping

@testable import readerd

@Suite struct CardPresenceTests {
    private let start = Instant.origin

    @Test func aCardThatStaysIsReportedOnceAndItsRemovalToo() {
        var presence = CardPresence()
        var reports = [presence.advance(to: start)]
        #expect(presence.nextDeadline == nil)
        presence.occupied(at: start)
        presence.occupied(at: start + .seconds(30))
        #expect(presence.since == start && presence.nextDeadline == start + .seconds(60))
        for milliseconds in [59_999, 60_000, 90_000] {
            reports.append(presence.advance(to: start + .milliseconds(milliseconds)))
        }
        #expect(reports == [false, false, true, false])
        #expect(presence.nextDeadline == nil)
        let duration = presence.emptied(at: start + .seconds(75))
        #expect(duration == .seconds(75) && presence == CardPresence())
    }

    @Test func aCardThatLeavesInTimeIsNotReported() {
        var presence = CardPresence()
        presence.occupied(at: start)
        let duration = presence.emptied(at: start + .seconds(1))
        presence.occupied(at: start + .seconds(50))
        let isLeft = presence.advance(to: start + .seconds(61))
        #expect(duration == nil && !isLeft)
    }
}
