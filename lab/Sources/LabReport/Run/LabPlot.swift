// SPDX-License-Identifier: Apache-2.0

import Statistics

/// A picture: curves of estimates with their intervals. Its figures are a table too.
public struct LabPlot: Equatable, Sendable {
    /// An estimate.
    public struct Point: Equatable, Sendable {
        /// The place on the horizontal axis.
        public var x: Double
        /// The estimate.
        public var y: Double
        /// The interval of 95 %, or nil.
        public var interval: ClosedRange<Double>?

        /// An estimate.
        public init(_ x: Double, _ y: Double, _ interval: ClosedRange<Double>? = nil) {
            (self.x, self.y, self.interval) = (x, y, interval)
        }
    }

    /// A curve.
    public struct Curve: Equatable, Sendable {
        /// The name.
        public var name: String
        /// The points from left to right.
        public var points: [Point]

        /// A curve.
        public init(_ name: String, _ points: [Point]) { (self.name, self.points) = (name, points) }
    }

    /// An axis.
    public struct Axis: Equatable, Sendable {
        /// Its meaning, with the unit.
        public var name: String
        /// The marks.
        public var marks: [Double]
        /// The text behind a mark's number.
        public var suffix = ""
        /// The factor from a value to a mark's number, as 100 for per cent.
        public var factor = 1.0
        /// The greatest value; the least is 0.
        public var end: Double
        /// True for a scale of square roots, which gives the near the room.
        public var isSquareRoot = false

        /// An axis from 0 to `end`.
        public init(_ name: String, marks: [Double], to end: Double) {
            (self.name, self.marks, self.end) = (name, marks, end)
        }

        /// An axis with four or five round marks, up to a value.
        public init(_ name: String, upTo greatest: Double) {
            let greatest = greatest.isFinite && greatest > 0 ? greatest : 1
            var step = 1.0
            while step > greatest { step /= 10 }
            while step * 10 <= greatest { step *= 10 }
            let width = [0.2, 0.5, 1, 2].map { $0 * step }.first { greatest / $0 <= 5 } ?? 2 * step
            let count = Int((greatest / width).rounded(.up))
            self.init(name, marks: (0...count).map { Double($0) * width }, to: Double(count) * width)
        }

        /// The place of a value, 0 to 1.
        func place(_ value: Double) -> Double {
            let share = max(0, min(value / end, 1))
            return isSquareRoot ? share.squareRoot() : share
        }

        func text(_ mark: Double) -> String { DecimalText.short(mark * factor) + suffix }
    }

    /// The title.
    public var title: String
    /// A sentence that says what is drawn.
    public var about: String
    /// The axis to the right.
    public var horizontal: Axis
    /// The axis to the top.
    public var vertical: Axis
    /// The curves.
    public var curves: [Curve]

    /// A picture.
    public init(_ title: String, about: String, horizontal: Axis, vertical: Axis, curves: [Curve]) {
        (self.title, self.about) = (title, about)
        (self.horizontal, self.vertical, self.curves) = (horizontal, vertical, curves)
    }

    /// The figures of the picture.
    public var table: LabTable {
        func text(_ value: Double) -> String { DecimalText.short(value * vertical.factor) + vertical.suffix }
        return LabTable(
            title, ["curve", horizontal.name, vertical.name, "95 %"],
            curves.flatMap { curve in
                curve.points.map { point in
                    [
                        curve.name, horizontal.text(point.x), text(point.y),
                        point.interval.map { "\(text($0.lowerBound)) to \(text($0.upperBound))" } ?? "-",
                    ]
                }
            })
    }
}
