// SPDX-License-Identifier: Apache-2.0

import Statistics

/// The measured times of successive openings.
struct DoorTimes {
    /// The times of one opening in nanoseconds.
    struct One {
        var edge: Int64
        var inside: Int64
        var insideProcessor: Int64
        var answer: Int64
        var bare: Int64
        var bareProcessor: Int64
    }

    private var all: [One] = []

    mutating func append(_ one: One) { all.append(one) }

    /// The result; nil without openings.
    func result(_ opening: DoorPlan.Opening) -> OpeningResult? {
        guard let edge = summary(all[...], \.edge), let wake = summary(all[...], { $0.edge - $0.inside }),
            let inside = summary(all[...], \.inside), let bare = summary(all[...], \.bare),
            let insideProcessor = summary(all[...], \.insideProcessor),
            let bareProcessor = summary(all[...], \.bareProcessor), let answer = summary(all[...], \.answer),
            let quotient = self.quotient(all[...])
        else { return nil }
        return OpeningResult(
            opening: opening, edge: edge, wake: wake, inside: inside, bare: bare, insideProcessor: insideProcessor,
            bareProcessor: bareProcessor, answer: answer, quotient: quotient, rounds: rounds)
    }

    private var rounds: [Double] {
        let size = max(all.count / DoorPlan.parts, 1)
        return stride(from: 0, to: all.count - size + 1, by: size).compactMap { start in
            quotient(all[start..<start + size])
        }
    }

    /// The median of the openings' own quotients. The median of one time by that of the other would compare two speeds
    /// of the machine if its speed changes during a run.
    private func quotient(_ some: ArraySlice<One>) -> Double? {
        Distribution(some.filter { $0.bare > 0 }.map { Double($0.inside) / Double($0.bare) })[.median]
    }

    private func summary(_ some: ArraySlice<One>, _ figure: (One) -> Int64) -> LatencySummary? {
        var latencies = Latencies()
        for one in some { latencies.append(figure(one)) }
        return latencies.summary()
    }
}
