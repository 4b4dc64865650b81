// SPDX-License-Identifier: Apache-2.0

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
        let sorted = values.sorted()
        func rank(_ permille: Int) -> Double {
            Double(sorted[min(sorted.count * permille / 1000, sorted.count - 1)]) / 1000
        }
        return LatencySummary(median: rank(500), p99: rank(990), maximum: Double(sorted[sorted.count - 1]) / 1000)
    }
}

/// The distribution of latencies, in microseconds.
public struct LatencySummary: Equatable, Sendable {
    /// The 50th percentile.
    public var median: Double
    /// The 99th percentile.
    public var p99: Double
    /// The maximum.
    public var maximum: Double
}
