// SPDX-License-Identifier: Apache-2.0

/// A quantile of measurements, and the fewest of them that bear it.
///
/// Of n measurements the largest exceeds the quantile q with the probability 1 − qⁿ. Below `fewest` that is less than
/// 95 %: no measurement bounds the quantile from above, and a figure would be the maximum under another name. The
/// median is the exception: it is given for any number, with the number.
public enum Quantile: Int, CaseIterable, Sendable {
    /// The 50th percentile.
    case median = 500
    /// The 90th percentile.
    case p90 = 900
    /// The 99th percentile.
    case p99 = 990
    /// The 99.9th percentile.
    case p999 = 999

    /// The share of measurements that do not exceed it, in thousandths.
    public var permille: Int { rawValue }

    /// The name in tables: `p99.9`.
    public var name: String { permille % 10 == 0 ? "p\(permille / 10)" : "p\(permille / 10).\(permille % 10)" }

    /// The fewest measurements that bear it: the least n with qⁿ ≤ 5 %, for the median 1.
    public var fewest: Int {
        switch self {
        case .median: 1
        case .p90: 29
        case .p99: 299
        case .p999: 2995
        }
    }

    /// The text of a table where the measurements are fewer.
    public static let tooFew = "n too small"
}

/// Measurements in order.
public struct Distribution<Value: Comparable & Sendable>: Equatable, Sendable {
    /// The measurements, the least first.
    public let sorted: [Value]

    /// The distribution of these measurements.
    public init(_ values: [Value]) { sorted = values.sorted() }

    /// The number of measurements.
    public var count: Int { sorted.count }

    /// The quantile by nearest rank, the least measurement that is not exceeded by that share of all; nil if there are
    /// fewer than it needs.
    public subscript(_ quantile: Quantile) -> Value? {
        guard count >= quantile.fewest else { return nil }
        return sorted[max(0, (count * quantile.permille + 999) / 1000 - 1)]
    }

    /// The bounds of the interval of 95 % of a quantile, by order statistics; nil if there are too few measurements for
    /// two bounds.
    public func interval(_ quantile: Quantile) -> ClosedRange<Value>? {
        BinomialRanks.of(count, permille: quantile.permille).map {
            sorted[$0.lowerBound - 1]...sorted[$0.upperBound - 1]
        }
    }
}

/// The ranks that enclose a quantile with a probability of at least 95 %, at most 2.5 % missing on either side.
enum BinomialRanks {
    private static let tail = 0.025

    /// The ranks, counted from 1; nil if n measurements have none.
    ///
    /// The number of measurements below the quantile is binomial: its probabilities by their quotients, from the most
    /// probable one on both ways, so that none is too small for a number.
    static func of(_ count: Int, permille: Int) -> ClosedRange<Int>? {
        guard count > 0 else { return nil }
        let share = Double(permille) / 1000
        let odds = share / (1 - share)
        let middle = min(count, (count + 1) * permille / 1000)
        var above = [1.0]
        for number in middle..<count {
            let next = above[above.count - 1] * Double(count - number) / Double(number + 1) * odds
            guard next > 1e-12 else { break }
            above.append(next)
        }
        var below: [Double] = []
        for number in stride(from: middle, to: 0, by: -1) {
            let next = (below.last ?? 1) * Double(number) / Double(count - number + 1) / odds
            guard next > 1e-12 else { break }
            below.append(next)
        }
        let first = middle - below.count
        let all = below.reversed() + above
        let sum = all.reduce(0, +)
        // The lower rank l: fewer than l measurements are below the quantile in at most 2.5 %.
        var (lower, mass) = (first, 0.0)
        while mass + all[lower - first] / sum <= tail {
            mass += all[lower - first] / sum
            lower += 1
        }
        var upper = first + all.count - 1
        mass = 0
        while mass + all[upper - first] / sum <= tail {
            mass += all[upper - first] / sum
            upper -= 1
        }
        guard lower >= 1, upper + 1 <= count else { return nil }
        return lower...upper + 1
    }
}
