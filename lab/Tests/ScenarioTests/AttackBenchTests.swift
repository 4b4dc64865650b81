// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Phone
import Testing
import Timekeeping

@testable import Scenario

/// Attacks on a reader: what each is refused with, and that it was one.
@Suite struct AttackBenchTests {
    private func tried(_ attack: Attack, _ tries: UInt64 = 2) throws -> AttackBench {
        var bench = AttackBench(attack)
        for seed in 1...tries { try bench.run(seed: seed) }
        return bench
    }

    @Test(arguments: [
        (Attack.stranger, "status -12"), (.changedIdentifier, "status -12"), (.changedValidity, "status -12"),
        (.replay, "status -12"), (.revoked, "status -13"), (.ended, "status -13"), (.early, "status -13"),
        (.lostClock, "no answer"),
    ])
    func itIsRefused(_ attack: Attack, _ answer: String) throws {
        let bench = try tried(attack)
        #expect(bench.openings == 0 && bench.answers == [answer: 2])
    }

    /// Known and told: a relay of the link layer passes. The gate hears the relay's radio, which is near.
    @Test func aRelayOfTheLinkLayerPasses() throws {
        let bench = try tried(.relay(.milliseconds(8)))
        #expect(bench.openings == 2 && bench.answers == ["opened": 2])
    }

    /// Without a change the same phone opens: what refuses the attacks is what was changed.
    @Test func theRightfulPhoneOpens() throws {
        var token: [UInt8] = [1, 2, 3, 2, 3]
        try AttackBench.replace([2, 3], [4, 5], in: &token)
        #expect(token == [1, 2, 3, 4, 5])
        #expect(throws: AttackBenchFault.self) { try AttackBench.replace([9], [8], in: &token) }
        let none = try tried(.relay(.zero))
        #expect(none.openings == 2)
    }
}
