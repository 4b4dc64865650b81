/// How long operations took, in nanoseconds.
struct Latencies {
    private var values: [Int64] = []

    var count: Int { values.count }

    mutating func removeAll(reserving count: Int) {
        values.removeAll(keepingCapacity: true)
        values.reserveCapacity(count)
    }

    mutating func append(_ nanoseconds: Int64) { values.append(nanoseconds) }

    /// The distribution; nil if nothing was measured.
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
    /// Half took no longer.
    public var median: Double
    /// 99 of 100 took no longer.
    public var p99: Double
    /// The longest.
    public var maximum: Double
}
