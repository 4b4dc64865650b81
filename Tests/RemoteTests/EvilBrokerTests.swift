// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

/// An hour with a broker that replays, reorders, alters, retains, forges, delays, drops and puts back, while the reader
/// is started anew and its disk fails: it opens by valid orders alone, once each, in time.
@Suite struct EvilBrokerTests {
    private static let hour: Int64 = 3600

    /// The outcomes of each mischief that the hours have to reach.
    private static let reached: [(EvilBroker.Mischief, [String])] = [
        (.none, ["done", "lockdown", "not-kept", "clock", "early", "expired", "forbidden", "form", "lost"]),
        (.hold, ["done", "counter"]), (.holdTooLong, ["expired", "key"]), (.silence, ["expired"]), (.swap, ["counter"]),
        (.double, ["done", "waits"]), (.hoard, ["done", "busy"]),
        (.replay, ["done", "repeated", "counter", "expired", "key", "not-kept"]), (.retain, ["retained", "done"]),
        (.alter, ["form", "signature", "key", "reader"]), (.cut, ["form"]), (.splice, ["signature"]),
        (.forge, ["signature"]), (.ownKey, ["key"]), (.formerKey, ["key"]), (.misdirect, ["reader"]),
    ]

    /// Treatments of an order that may still be carried out: in its time, by its own octets. What is held too long may
    /// come after its end only if the clock was put back, and has not shown the end: nothing else tells the time.
    private static let harmless: Set<EvilBroker.Mischief> = [
        .none, .hold, .holdTooLong, .silence, .swap, .double, .hoard, .replay, .retain,
    ]

    @Test func anHourOpensByValidOrdersAloneOnceAndInTime() throws {
        var found: Set<String> = []
        for seed in 1...3 as ClosedRange<UInt64> {
            var hour = try EvilHour(seed: seed)
            try hour.run(seconds: Self.hour)
            #expect(hour.reader.judge.findings.isEmpty, "\(hour.reader.judge.findings.prefix(5))")
            #expect(hour.delivered > 4000)
            #expect(hour.reader.judge.openings > 200)
            #expect(hour.reader.judge.treatments.isSubset(of: Self.harmless))
            for accident in EvilHour.Accident.allCases { #expect(hour.accidents[accident] ?? 0 > 0, "\(accident)") }
            found.formUnion(hour.reader.outcomes.map { "\($0.mischief.rawValue): \($0.text)" })
        }
        for (mischief, outcomes) in Self.reached {
            let missing = outcomes.filter { !found.contains("\(mischief.rawValue): \($0)") }
            #expect(missing.isEmpty, "\(mischief)")
        }
        let tried = Set(Self.reached.map(\.0))
        #expect(tried.union([.drop]) == Set(EvilBroker.Mischief.allCases))
    }

    @Test func anHourIsTheSameInEveryRun() throws {
        var (one, other) = (try EvilHour(seed: 3), try EvilHour(seed: 3))
        try one.run(seconds: 300)
        try other.run(seconds: 300)
        #expect(one.reader.outcomes.map(\.text) == other.reader.outcomes.map(\.text))
    }

    @Test(arguments: OrderedReader.Flaw.allCases) func everyPlantedFlawIsFound(flaw: OrderedReader.Flaw) throws {
        let isFound = try (1...4 as ClosedRange<UInt64>).contains { seed in
            var hour = try EvilHour(seed: seed, flaw: flaw)
            for _ in 0..<60 where hour.reader.judge.findings.isEmpty { try hour.run(seconds: Self.hour / 60) }
            return !hour.reader.judge.findings.isEmpty
        }
        #expect(isFound)
    }
}
