// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The level of a carried phone at the reader: points in time with a level, interpolated linearly.
public struct DistanceWalk: Equatable, Sendable {
    /// A level at a time.
    public struct Point: Equatable, Sendable {
        /// The time since the start of the scenario.
        public var at: Duration
        /// The level at the reader in dBm.
        public var dBm: Int8

        /// A level at a time.
        public init(_ at: Duration, _ dBm: Int8) {
            self.at = at
            self.dBm = dBm
        }
    }

    /// The points in order of time; before the first, the phone is out of range.
    public var points: [Point]

    /// A walk through `points`.
    public init(_ points: [Point]) {
        self.points = points
    }

    /// A constant level from `at` on.
    public static func standing(from at: Duration, _ dBm: Int8) -> DistanceWalk {
        DistanceWalk([Point(at, dBm)])
    }
}
