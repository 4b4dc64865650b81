// SPDX-License-Identifier: Apache-2.0

import Timekeeping
import VirtualRadio

/// The mean levels of a way, for an air that has no model of distances.
extension DistanceWalk {
    /// The mean level at a reader in dBm; nil before the first point.
    func level(at time: Duration, _ reader: FloorPoint, _ walls: [Wall]) -> Double? {
        guard let index = points.lastIndex(where: { $0.at <= time }) else { return nil }
        let point = points[index]
        let next = index + 1 < points.count ? points[index + 1] : point
        let lasts = (next.at - point.at).wholeNanoseconds
        let share = lasts > 0 ? Double((time - point.at).wholeNanoseconds) / Double(lasts) : 1
        switch (point.place, next.place) {
        case (.dBm(let start), .dBm(let end)): return Double(start) + share * (Double(end) - Double(start))
        case (.metres(let start), .metres(let end)): return propagation.level(at: start + share * (end - start))
        case (.floor(let start), .floor(let end)):
            return Track(from: start, to: end, receiver: reader, walls: walls).level(propagation, at: share)
        // Two kinds have nothing between them.
        case (.dBm(let level), _): return Double(level)
        case (.metres(let metres), _): return propagation.level(at: metres)
        case (.floor(let place), _):
            return Track(from: place, to: place, receiver: reader, walls: walls).level(propagation, at: 1)
        }
    }

    /// True while the level may change.
    func moves(at time: Duration) -> Bool {
        zip(points, points.dropFirst()).contains { $0.at <= time && time < $1.at && $0.place != $1.place }
    }
}
