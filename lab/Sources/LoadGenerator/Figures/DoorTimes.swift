// SPDX-License-Identifier: Apache-2.0

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
            let bareProcessor = summary(all[...], \.bareProcessor), let answer = summary(all[...], \.answer)
        else { return nil }
        return OpeningResult(
            opening: opening, edge: edge, wake: wake, inside: inside, bare: bare, insideProcessor: insideProcessor,
            bareProcessor: bareProcessor, answer: answer, rounds: quotients)
    }

    private var quotients: [Double] {
        let size = max(all.count / DoorPlan.parts, 1)
        return stride(from: 0, to: all.count - size + 1, by: size).compactMap { start in
            let round = all[start..<start + size]
            guard let inside = summary(round, \.inside), let bare = summary(round, \.bare), bare.median > 0 else {
                return nil
            }
            return inside.median / bare.median
        }
    }

    private func summary(_ some: ArraySlice<One>, _ figure: (One) -> Int64) -> LatencySummary? {
        var latencies = Latencies()
        for one in some { latencies.append(figure(one)) }
        return latencies.summary()
    }
}
