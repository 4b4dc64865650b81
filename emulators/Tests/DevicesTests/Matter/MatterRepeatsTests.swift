// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Timekeeping

struct MatterRepeatsTests {
    private let start = Instant.origin

    @Test func theFirstOfAPeriodAreTold() {
        var repeats = MatterRepeats()
        let told = (0..<1000).count { _ in repeats.admits("noise", at: start) }
        #expect(told == 5 && repeats.deadline == start + .seconds(10))
        let early = repeats.advance(to: start + .milliseconds(9999))
        let late = repeats.advance(to: start + .seconds(10))
        #expect(early == [] && late == ["noise: 995 more"] && repeats.deadline == nil)
        let isTold = repeats.admits("noise", at: start + .seconds(11))
        let last = repeats.finish()
        #expect(isTold && last == [])
    }

    @Test func textsAreCountedApart() {
        var repeats = MatterRepeats()
        for _ in 0..<6 { _ = repeats.admits("one", at: start) }
        let isTold = repeats.admits("two", at: start + .seconds(1))
        let last = repeats.finish()
        #expect(isTold && last == ["one: 1 more"])
    }

    @Test func theirNumberIsBounded() {
        var repeats = MatterRepeats()
        let told = (0..<1000).count { repeats.admits("\($0)", at: start) }
        #expect(told == MatterRepeats.limit)
    }
}
