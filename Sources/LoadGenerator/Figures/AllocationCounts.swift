/// What the reader has called so far.
struct AllocationCounts: Equatable {
    var all: UInt64
    var libcrypto: UInt64
    var otherThreads: UInt64

    /// What came since `former`, for one of `count`.
    func since(_ former: AllocationCounts, of count: Int) -> AllocationFigures {
        let libcrypto = self.libcrypto - former.libcrypto
        let disk = otherThreads - former.otherThreads
        let serving = all - former.all - libcrypto - disk
        func each(_ number: UInt64) -> Double { Double(number) / Double(max(count, 1)) }
        return AllocationFigures(serving: each(serving), disk: each(disk), libcrypto: each(libcrypto))
    }
}

/// What was counted as a run went on.
struct AllocationMarks {
    private var marks: [(done: Int, counts: AllocationCounts)] = []

    /// Notes what has been called when so many were done; nothing where nobody counts.
    mutating func note(_ done: Int, _ counts: AllocationCounts?) {
        if let counts { marks.append((done, counts)) }
    }

    /// What it comes to; nil if nothing was done, or nobody counted.
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
