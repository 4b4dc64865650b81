// SPDX-License-Identifier: Apache-2.0

package import Phone
package import Scenario
import Statistics

/// The rows of the bench, with the results so far.
package struct SiteBench {
    /// The parts of the bench.
    package enum Part: String, CaseIterable, Sendable {
        case people, edge
    }

    private(set) var people: [PeopleBench] = []
    package private(set) var edges: [EdgeBench] = []
    private let runs: Int

    /// The rows of a part and of some kinds of phones; nil selects both parts, and an empty list all kinds.
    package init(_ part: Part?, _ phones: [PhonePreset], runs: Int) {
        self.runs = runs
        let chosen = PhonePreset.all.filter { phones.isEmpty || phones.contains($0) }
        if part != .edge {
            people = PeopleBench.linkCounts.flatMap { links in
                chosen.filter { PeopleBench.presets.contains($0.name) || !phones.isEmpty }.map { preset in
                    PeopleBench(links: links, preset: preset)
                }
            }
        }
        if part != .people {
            edges = chosen.flatMap { preset in
                EdgeBench.intervals.map { EdgeBench(preset: preset, interval: $0) }
            }
        }
    }

    /// Carries out all runs, or stops once `isEnding` is true.
    package mutating func run(seed: UInt64, isEnding: () -> Bool) throws {
        let all = people.count * PeopleBench.runs + edges.count * runs
        var done = 0
        for row in people.indices {
            for number in 0..<UInt64(PeopleBench.runs) where !isEnding() {
                BenchProgress.show(done, of: all, "people, \(people[row].links) link(s), \(people[row].preset.name)")
                try people[row].run(seed: seed &+ number)
                done += 1
            }
        }
        for row in edges.indices {
            for number in 0..<UInt64(runs) where !isEnding() {
                if done % 10 == 0 { BenchProgress.show(done, of: all, "edge, \(edges[row].preset.name)") }
                try edges[row].run(seed: seed &+ number)
                done += 1
            }
        }
        BenchProgress.show(all, of: all, "")
    }
}
