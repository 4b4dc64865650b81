// SPDX-License-Identifier: Apache-2.0

/// A point on a floor plan, in metres.
public struct FloorPoint: Equatable, Sendable {
    /// To the right.
    public var x: Double
    /// To the top.
    public var y: Double

    /// A point.
    public init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }

    /// The distance to another point in metres.
    public func metres(to other: FloorPoint) -> Double {
        let (across, along) = (other.x - x, other.y - y)
        return along == 0 ? abs(across) : (across * across + along * along).squareRoot()
    }

    /// Twice the area of the triangle with two other points; its sign gives the side.
    fileprivate func side(_ first: FloorPoint, _ second: FloorPoint) -> Double {
        (first.x - x) * (second.y - y) - (first.y - y) * (second.x - x)
    }
}

/// A straight wall.
public struct Wall: Equatable, Sendable {
    /// One end.
    public var from: FloorPoint
    /// The other end.
    public var to: FloorPoint
    /// The attenuation of a signal that passes through it, in dB.
    public var attenuation: Double

    /// A wall.
    public init(from: FloorPoint, to: FloorPoint, attenuation: Double) {
        (self.from, self.to, self.attenuation) = (from, to, attenuation)
    }

    /// True if it stands between two points.
    func separates(_ one: FloorPoint, _ other: FloorPoint) -> Bool {
        from.side(to, one) * from.side(to, other) < 0 && one.side(other, from) * one.side(other, to) < 0
    }
}

/// The straight path of a moving radio past a stationary one.
public struct Track: Equatable, Sendable {
    /// The start.
    public var from: FloorPoint
    /// The end.
    public var to: FloorPoint
    /// The place of the stationary radio.
    public var receiver: FloorPoint
    /// The walls.
    public var walls: [Wall] = []

    /// A way.
    public init(from: FloorPoint, to: FloorPoint, receiver: FloorPoint, walls: [Wall] = []) {
        (self.from, self.to, self.receiver, self.walls) = (from, to, receiver, walls)
    }

    /// The place after this share of the way.
    private func place(at share: Double) -> FloorPoint {
        share < 1 ? FloorPoint(from.x + share * (to.x - from.x), from.y + share * (to.y - from.y)) : to
    }

    /// The distance after this share of the way, in metres.
    func metres(at share: Double) -> Double { place(at: share).metres(to: receiver) }

    /// The mean level after this share of the way, behind the walls that are between, in dBm.
    public func level(_ propagation: Propagation, at share: Double) -> Double {
        let place = place(at: share)
        let walls = walls.reduce(0) { $0 + ($1.separates(place, receiver) ? $1.attenuation : 0) }
        return propagation.level(at: place.metres(to: receiver)) - walls
    }
}
