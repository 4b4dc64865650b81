// SPDX-License-Identifier: Apache-2.0

public import Statistics

/// A figure of a run or a case.
public struct LabMetric: Equatable, Sendable {
    /// A bound of a figure.
    public enum Limit: Equatable, Sendable {
        /// The figure is at most this.
        case atMost(Double)
        /// The figure is at least this.
        case atLeast(Double)
    }

    /// The name.
    public var name: String
    /// The unit; empty for a number.
    public var unit: String
    /// The estimate.
    public var value: Double
    /// The interval of 95 %, or nil.
    public var interval: ClosedRange<Double>?
    /// The number of measurements.
    public var count: Int
    /// The bound that is wanted; nil for none.
    public var limit: Limit?
    /// True if less is better, as of a time.
    public var isLessBetter: Bool

    /// A figure.
    public init(
        _ name: String, _ value: Double, _ unit: String, interval: ClosedRange<Double>? = nil, count: Int,
        limit: Limit? = nil, isLessBetter: Bool = true
    ) {
        (self.name, self.unit, self.value, self.interval) = (name, unit, value, interval)
        (self.count, self.limit, self.isLessBetter) = (count, limit, isLessBetter)
    }

    /// The quantiles that the number of measurements supports: median, 90th, 99th and 99.9th percentile.
    ///
    /// - Parameter limits: bounds by quantile.
    public static func quantiles(
        of all: Distribution<Double>, _ name: String, _ unit: String, limits: [Quantile: Limit] = [:]
    ) -> [LabMetric] {
        Quantile.allCases.compactMap { quantile in
            all[quantile].map {
                LabMetric(
                    name.isEmpty ? quantile.name : "\(name) \(quantile.name)", $0, unit,
                    interval: all.interval(quantile), count: all.count, limit: limits[quantile])
            }
        }
    }

    /// True if the figure keeps its bound, or has none.
    public var isWithinLimit: Bool {
        switch limit {
        case nil: true
        case .atMost(let bound): value <= bound
        case .atLeast(let bound): value >= bound
        }
    }

    /// The estimate with its unit.
    public var text: String { LabMetric.text(value, unit) }

    /// The interval; `-` without one.
    public var intervalText: String {
        interval.map { "\(DecimalText.short($0.lowerBound)) to \(DecimalText.short($0.upperBound))" } ?? "-"
    }

    /// The bound; `-` without one.
    public var limitText: String {
        switch limit {
        case nil: "-"
        case .atMost(let bound): "at most \(LabMetric.text(bound, unit))"
        case .atLeast(let bound): "at least \(LabMetric.text(bound, unit))"
        }
    }

    static func text(_ value: Double, _ unit: String) -> String {
        DecimalText.short(value) + (unit.isEmpty ? "" : " \(unit)")
    }
}

/// A table.
public struct LabTable: Equatable, Sendable {
    /// The title.
    public var title: String
    /// The heads of the columns.
    public var head: [String]
    /// The rows.
    public var rows: [[String]]

    /// A table.
    public init(_ title: String, _ head: [String], _ rows: [[String]]) {
        (self.title, self.head, self.rows) = (title, head, rows)
    }

    /// A table from rows of which the first one is the head.
    public init(_ title: String, _ rows: [[String]]) { self.init(title, rows[0], Array(rows.dropFirst())) }
}
