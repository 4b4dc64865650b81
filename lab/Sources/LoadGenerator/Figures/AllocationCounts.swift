// SPDX-License-Identifier: Apache-2.0

/// The number of allocations so far, by caller.
struct AllocationCounts: Equatable {
    var all: UInt64
    var libcrypto: UInt64
    var otherThreads: UInt64

    /// The allocations since `previous`, per operation of `count`.
    func since(_ former: AllocationCounts, of count: Int) -> AllocationFigures {
        let libcrypto = self.libcrypto - former.libcrypto
        let disk = otherThreads - former.otherThreads
        let serving = all - former.all - libcrypto - disk
        func each(_ number: UInt64) -> Double { Double(number) / Double(max(count, 1)) }
        return AllocationFigures(serving: each(serving), disk: each(disk), libcrypto: each(libcrypto))
    }
}

/// The allocation counts at intermediate points of a run.
struct AllocationMarks {
    private var marks: [(done: Int, counts: AllocationCounts)] = []

    /// Records the counts after this number of operations; nil counts are ignored.
    mutating func record(_ done: Int, _ counts: AllocationCounts?) {
        if let counts { marks.append((done, counts)) }
    }

    /// The result; nil without operations or counts.
    var report: AllocationReport? {
        guard let first = marks.first, let last = marks.last, last.done > first.done else { return nil }
        let parts = zip(marks, marks.dropFirst()).map { $1.counts.since($0.counts, of: $1.done - $0.done) }
        func median(_ figure: (AllocationFigures) -> Double) -> Double { parts.map(figure).sorted()[parts.count / 2] }
        return AllocationReport(
            mean: last.counts.since(first.counts, of: last.done - first.done),
            steady: AllocationFigures(
                serving: median(\.serving), disk: median(\.disk), libcrypto: median(\.libcrypto)))
    }
}
