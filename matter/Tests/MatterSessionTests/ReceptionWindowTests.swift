// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import MatterSession

/// Core 4.6.5: detection of duplicates.
struct ReceptionWindowTests {
    @Test func aSecureSessionTakesEachCounterOnce() {
        var window = ReceptionWindow()
        #expect(window.acceptSecured(100) && !window.acceptSecured(100))
        #expect(window.acceptSecured(101) && window.acceptSecured(110))
        // Within the window, out of order.
        #expect(window.acceptSecured(105) && !window.acceptSecured(105) && !window.acceptSecured(101))
        #expect(window.acceptSecured(110 - 32) && !window.acceptSecured(110 - 32))
        // Before the window.
        #expect(!window.acceptSecured(110 - 33) && !window.acceptSecured(0))
        #expect(window.acceptSecured(142) && !window.acceptSecured(110) && window.acceptSecured(111))
        #expect(window.acceptSecured(.max) && !window.acceptSecured(142) && !window.acceptSecured(0))
        #expect(window.acceptSecured(.max - 32) && !window.acceptSecured(.max))
    }

    /// On the unsecured session counters wrap, and an earlier one outside the window begins anew.
    @Test func theUnsecuredSessionFollowsARestart() {
        var window = ReceptionWindow()
        #expect(window.acceptUnsecured(.max) && window.acceptUnsecured(0) && !window.acceptUnsecured(.max))
        #expect(window.acceptUnsecured(2) && window.acceptUnsecured(1) && !window.acceptUnsecured(1))
        #expect(window.acceptUnsecured(2 &- 33) && !window.acceptUnsecured(2 &- 33) && window.acceptUnsecured(2))
        #expect(window.acceptUnsecured(2 &- 32) && !window.acceptUnsecured(2 &- 32))
    }

    /// Any sequence: a counter within the window is accepted exactly once.
    @Test func randomSequences() {
        var random = SplitMix64(seed: 11)
        for _ in 0..<50 {
            var window = ReceptionWindow()
            var seen: Set<UInt32> = []
            var greatest: UInt32?
            for _ in 0..<200 {
                let counter = UInt32.random(in: 0..<120, using: &random)
                let isLate = greatest.map { counter < $0 && $0 - counter > 32 } ?? false
                #expect(window.acceptSecured(counter) == (!isLate && !seen.contains(counter)))
                if !isLate { seen.insert(counter) }
                greatest = max(greatest ?? 0, counter)
            }
        }
    }
}
