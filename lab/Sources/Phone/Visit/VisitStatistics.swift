// SPDX-License-Identifier: Apache-2.0

import Statistics

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
        /// The 90th percentile; nil for fewer than 29 durations.
        public var p90: Duration?
        /// The 99th percentile; nil for fewer than 299 durations.
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
    public mutating func record(_ notice: VisitNotice) {
        switch notice {
        case .step(let step, _, let took): durations[step.kind, default: []].append(took)
        case .ended(nil, let sinceStart):
            doneCount += 1
            totals.append(sinceStart)
        case .ended: failedCount += 1
        case .began, .finished: break
        }
    }

    /// A row for each step that was completed, in their order, and a row for the completed visits as a whole.
    public var rows: [Row] {
        VisitStep.Kind.allCases.compactMap { kind in durations[kind].map { VisitStatistics.row(kind, $0) } }
            + (totals.isEmpty ? [] : [VisitStatistics.row(nil, totals)])
    }

    private static func row(_ step: VisitStep.Kind?, _ durations: [Duration]) -> Row {
        let all = Distribution(durations)
        return Row(
            step: step, count: all.count, minimum: all.sorted[0], median: all[.median] ?? all.sorted[0],
            maximum: all.sorted[all.count - 1], p90: all[.p90], p99: all[.p99])
    }
}
