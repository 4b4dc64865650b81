// SPDX-License-Identifier: Apache-2.0

import Statistics

/// The durations of operations in nanoseconds.
struct Latencies {
    private var values: [Int64] = []

    var count: Int { values.count }

    mutating func removeAll(reserving count: Int) {
        values.removeAll(keepingCapacity: true)
        values.reserveCapacity(count)
    }

    mutating func append(_ nanoseconds: Int64) { values.append(nanoseconds) }

    /// The distribution; nil without measurements.
    func summary() -> LatencySummary? {
        guard !values.isEmpty else { return nil }
        let all = Distribution(values)
        func microseconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1000 }
        func interval(_ quantile: Quantile) -> ClosedRange<Double>? {
            all.interval(quantile).map { microseconds($0.lowerBound)...microseconds($0.upperBound) }
        }
        return LatencySummary(
            count: all.count, median: microseconds(all[.median] ?? all.sorted[0]), p99: all[.p99].map(microseconds),
            maximum: microseconds(all.sorted[all.count - 1]), medianInterval: interval(.median),
            p99Interval: interval(.p99))
    }
}

/// The distribution of latencies, in microseconds.
public struct LatencySummary: Equatable, Sendable {
    /// The number of measurements.
    public var count: Int
    /// The 50th percentile.
    public var median: Double
    /// The 99th percentile; nil for fewer than 299 measurements.
    public var p99: Double?
    /// The maximum.
    public var maximum: Double
    /// The interval of 95 % of the median; nil for fewer than six measurements.
    public var medianInterval: ClosedRange<Double>?
    /// The interval of 95 % of the 99th percentile; nil for fewer than 368 measurements.
    public var p99Interval: ClosedRange<Double>?
}
