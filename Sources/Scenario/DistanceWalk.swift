import Timekeeping

/// How strongly the reader hears a phone while somebody carries it: points in time with a strength, joined by lines.
public struct DistanceWalk: Equatable, Sendable {
    /// A strength at a time.
    public struct Point: Equatable, Sendable {
        /// Since the scenario began.
        public var at: Duration
        /// What the reader measures, in dBm.
        public var dBm: Int8

        /// A strength at a time.
        public init(_ at: Duration, _ dBm: Int8) {
            self.at = at
            self.dBm = dBm
        }
    }

    /// The points, in order of time; before the first the phone is out of range.
    public var points: [Point]

    /// A walk along `points`.
    public init(_ points: [Point]) {
        self.points = points
    }

    /// Standing still from `at` on.
    public static func standing(from at: Duration, _ dBm: Int8) -> DistanceWalk {
        DistanceWalk([Point(at, dBm)])
    }
}
