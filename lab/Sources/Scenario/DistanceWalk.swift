// SPDX-License-Identifier: Apache-2.0

import Timekeeping
public import VirtualRadio

/// The way of a carried phone: points in time with a level at the reader, a distance from it, or a place on the floor,
/// interpolated linearly.
public struct DistanceWalk: Equatable, Sendable {
    /// The place of a phone, as the reader's radio perceives it.
    public enum Place: Equatable, Sendable {
        /// A level at the reader in dBm, without fading.
        case dBm(Int8)
        /// A distance from the reader in metres; the walk's propagation gives the level.
        case metres(Double)
        /// A point on the floor plan of a site, on which the readers have theirs.
        case floor(FloorPoint)
    }

    /// A place at a time.
    public struct Point: Equatable, Sendable {
        /// The time since the start of the scenario.
        public var at: Duration
        /// The place.
        public var place: Place

        /// A place at a time.
        public init(_ at: Duration, _ place: Place) {
            self.at = at
            self.place = place
        }

        /// A level at a time.
        public init(_ at: Duration, _ dBm: Int8) { self.init(at, .dBm(dBm)) }
    }

    /// The points in order of time; before the first, the phone is out of range.
    public var points: [Point]
    /// The model of distances.
    public var propagation = Propagation()

    /// A walk through `points`, which are all of one kind.
    public init(_ points: [Point], _ propagation: Propagation = Propagation()) {
        self.points = points
        self.propagation = propagation
    }

    /// A constant level from `at` on.
    public static func standing(from at: Duration, _ dBm: Int8) -> DistanceWalk {
        DistanceWalk([Point(at, dBm)])
    }
}

extension DistanceWalk.Place {
    /// The place in words of the timeline.
    var text: String {
        switch self {
        case .dBm(let level): "\(level) dBm"
        case .metres(let metres): "\(metres) m"
        case .floor(let point): "(\(point.x), \(point.y))"
        }
    }
}
