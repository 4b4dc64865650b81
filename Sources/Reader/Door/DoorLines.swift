// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The outputs of a door: real lines, simulated ones, or a mix.
public protocol DoorLines: ~Copyable {
    /// The error of an output; `Never` if outputs cannot fail.
    associatedtype Failure: Error

    /// Sets one output. After a failure its level is unknown: call `Door.failed`, which sets it again.
    mutating func apply(_ action: DoorAction, at now: Instant) throws(Failure)
}

/// Outputs that only record their edges: for a reader without hardware, the lab and tests.
public struct SimulatedLines: DoorLines {
    /// A change of an output; the first setting of an output counts as one.
    public struct Edge: Equatable, Sendable {
        /// The time of the change.
        public var instant: Instant
        /// The output.
        public var output: DoorOutput
        /// True if the change activates the output.
        public var level: Bool

        /// Creates an edge.
        public init(_ instant: Instant, _ output: DoorOutput, _ level: Bool) {
            self.instant = instant
            self.output = output
            self.level = level
        }
    }

    /// The edges, oldest first. The oldest are dropped beyond `capacity`.
    public private(set) var edges: [Edge] = []
    /// The maximum number of edges, since a reader runs for years.
    public let capacity: Int
    private var levels: [DoorOutput: Bool] = [:]

    /// Creates outputs that have not been set.
    public init(capacity: Int = 1024) {
        self.capacity = max(capacity, 1)
    }

    /// The present level of an output; nil before it is first set.
    public func level(of output: DoorOutput) -> Bool? { levels[output] }

    /// The edges of one output, oldest first.
    public func edges(of output: DoorOutput) -> [Edge] { edges.filter { $0.output == output } }

    /// Records the action as an edge if it changes the level.
    public mutating func apply(_ action: DoorAction, at now: Instant) {
        guard levels.updateValue(action.level, forKey: action.output) != action.level else { return }
        if edges.count >= capacity { edges.removeFirst(edges.count - capacity + 1) }
        edges.append(Edge(now, action.output, action.level))
    }
}
