// SPDX-License-Identifier: Apache-2.0

import Reader
import SeededNumbers
import Testing
import Timekeeping
import VirtualRadio

@testable import Scenario

/// Random numbers by purpose: what is added does not change what was there.
@Suite struct RandomStreamTests {
    private func run(_ phones: [SiteScenario.Phone], seed: UInt64) throws -> [TimelineEntry] {
        var scenario = SiteScenario()
        scenario.phones = phones
        scenario.end = .seconds(12)
        return try SiteRun(scenario, seed: seed).timeline
    }

    private func walker(_ name: String, metres: Double, to end: Double) -> SiteScenario.Phone {
        let points: [DistanceWalk.Point] = [
            .init(.milliseconds(300), .metres(metres)), .init(.milliseconds(8000), .metres(end)),
        ]
        return SiteScenario.Phone(name: name, walk: DistanceWalk(points))
    }

    /// A phone's address goes by its place in the list.
    private func withoutAddress(_ entry: TimelineEntry) -> TimelineEntry {
        var entry = entry
        if entry.event == .connected { entry.text = "connected" }
        return entry
    }

    /// A phone across the town, before or after it in the list: the walk of the first is the same to the microsecond
    /// and to each reading in dB.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func aFarPhoneChangesNothingForAnother(_ seed: UInt64) throws {
        let first = walker("first", metres: 9, to: 0.5)
        var far = SiteScenario.Phone(name: "far", walk: .standing(from: .milliseconds(100), -126))
        far.credential.id = "FAR"
        let alone = try run([first], seed: seed)
        #expect(alone.contains { $0.event == .measured } && alone.contains { $0.event == .result })
        for phones in [[first, far], [far, first]] {
            let among = try run(phones, seed: seed).filter { $0.who != "far" }
            #expect(among.map(withoutAddress) == alone.map(withoutAddress))
        }
    }

    /// Faults of the door have no part in what phones and air draw.
    @Test func aFaultOfTheDoorChangesNoReading() throws {
        var scenario = SiteScenario()
        scenario.phones = [walker("first", metres: 9, to: 0.5)]
        let quiet = try SiteRun(scenario, seed: 4).timeline.filter { $0.event == .measured }
        scenario.events = [.init(after: .milliseconds(400), order: .line(.contact, isActive: true))]
        let forced = try SiteRun(scenario, seed: 4).timeline.filter { $0.event == .measured }
        #expect(!quiet.isEmpty && quiet == forced)
    }

    @Test func aStreamIsItsSeedAndItsName() {
        func first(_ seed: UInt64, _ name: String) -> UInt64 {
            var stream = SeededGenerator(seed: seed, stream: name)
            return stream.next()
        }
        #expect(first(1, "air") == first(1, "air"))
        let all = (0..<50).flatMap { seed in ["air", "phone 1", "phone 2", ""].map { first(seed, $0) } }
        #expect(Set(all).count == all.count)
    }
}
