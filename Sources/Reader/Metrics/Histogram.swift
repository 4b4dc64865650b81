// SPDX-License-Identifier: Apache-2.0

/// A histogram with fixed ranges, so that counting allocates nothing.
public struct Histogram: Equatable, Sendable {
    /// The inclusive upper bounds of the ranges, ascending. Greater values count in one more range.
    public let bounds: [Int64]
    /// The number of values in each range; one more than there are bounds.
    public private(set) var counts: [UInt64]
    /// The sum of all values.
    public private(set) var sum: Int64 = 0

    /// Creates an empty histogram.
    public init(bounds: [Int64]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// The number of values.
    public var total: UInt64 { counts.reduce(0, &+) }

    /// Counts a value.
    public mutating func count(_ value: Int64) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        counts[index] &+= 1
        sum = sum.addingReportingOverflow(value).partialValue
    }
}
