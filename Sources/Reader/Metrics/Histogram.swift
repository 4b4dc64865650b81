/// How often values fell into which range. The ranges are fixed, so counting allocates nothing.
public struct Histogram: Equatable, Sendable {
    /// The upper bounds of the ranges, ascending, each inclusive; what is beyond the last has a range of its own.
    public let bounds: [Int64]
    /// How many values fell into each range; one more than there are bounds.
    public private(set) var counts: [UInt64]
    /// All values together.
    public private(set) var sum: Int64 = 0

    /// A histogram without values.
    public init(bounds: [Int64]) {
        self.bounds = bounds
        counts = Array(repeating: 0, count: bounds.count + 1)
    }

    /// How many values there are.
    public var total: UInt64 { counts.reduce(0, &+) }

    /// Counts a value.
    public mutating func count(_ value: Int64) {
        var index = 0
        while index < bounds.count, value > bounds[index] { index += 1 }
        counts[index] &+= 1
        sum = sum.addingReportingOverflow(value).partialValue
    }
}
