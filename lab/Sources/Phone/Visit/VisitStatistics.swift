// SPDX-License-Identifier: Apache-2.0

/// The times of repeated visits.
public struct VisitStatistics: Equatable, Sendable {
    /// The distribution of one step's durations.
    public struct Row: Equatable, Sendable {
        /// The step; nil for a whole visit.
        public var step: VisitStep.Kind?
        /// The number of durations.
        public var count: Int
        /// The shortest.
        public var minimum: Duration
        /// The 50th percentile.
        public var median: Duration
        /// The longest.
        public var maximum: Duration
        /// The 90th percentile, from 10 durations on.
        public var p90: Duration?
        /// The 99th percentile, from 100 durations on.
        public var p99: Duration?
    }

    private var durations: [VisitStep.Kind: [Duration]] = [:]
    private var totals: [Duration] = []
    /// The number of visits whose task was done.
    public private(set) var doneCount = 0
    /// The number of visits that failed.
    public private(set) var failedCount = 0

    /// No visits yet.
    public init() {}

    /// Takes a notice of a visit.
    public mutating func take(_ notice: VisitNotice) {
        switch notice {
        case .step(let step, _, let took): durations[step.kind, default: []].append(took)
        case .ended(nil, let sinceStart):
            doneCount += 1
            totals.append(sinceStart)
        case .ended: failedCount += 1
        case .began, .finished: break
        }
    }

    /// A row for each step that was completed, in their order, and one for the whole of the visits that were done.
    public var rows: [Row] {
        VisitStep.Kind.allCases.compactMap { kind in durations[kind].map { VisitStatistics.row(kind, $0) } }
            + (totals.isEmpty ? [] : [VisitStatistics.row(nil, totals)])
    }

    /// Nearest-rank percentiles: the smallest duration that is not exceeded by that share of all.
    private static func row(_ step: VisitStep.Kind?, _ durations: [Duration]) -> Row {
        let sorted = durations.sorted()
        func percentile(_ percent: Int) -> Duration { sorted[max(0, (sorted.count * percent + 99) / 100 - 1)] }
        return Row(
            step: step, count: sorted.count, minimum: sorted[0], median: percentile(50),
            maximum: sorted[sorted.count - 1], p90: sorted.count >= 10 ? percentile(90) : nil,
            p99: sorted.count >= 100 ? percentile(99) : nil)
    }
}
