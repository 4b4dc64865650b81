public import Timekeeping

/// The outputs that a door's actions go to: real lines, simulated ones, or some of each.
public protocol DoorLines: ~Copyable {
    /// What can go wrong with an output; `Never` where nothing can.
    associatedtype Failure: Error

    /// Sets one output. After a failure the output's level is unknown: tell `Door.failed`, which sets it again.
    mutating func apply(_ action: DoorAction, at now: Instant) throws(Failure)
}

/// Outputs that exist only as a record of their edges: for a reader without hardware, the lab and tests.
public struct SimulatedLines: DoorLines {
    /// One change of one output; the first time that an output is set counts as one.
    public struct Edge: Equatable, Sendable {
        /// When.
        public var instant: Instant
        /// Which output.
        public var output: DoorOutput
        /// Active from then on, or not.
        public var level: Bool

        /// An edge.
        public init(_ instant: Instant, _ output: DoorOutput, _ level: Bool) {
            self.instant = instant
            self.output = output
            self.level = level
        }
    }

    /// The edges so far, oldest first; the oldest are dropped where there would be more than `capacity`.
    public private(set) var edges: [Edge] = []
    /// How many edges are kept: a reader runs for years.
    public let capacity: Int
    private var levels: [DoorOutput: Bool] = [:]

    /// Outputs that nobody has set yet.
    public init(capacity: Int = 1024) {
        self.capacity = max(capacity, 1)
    }

    /// The present level of an output; nil before it is set for the first time.
    public func level(of output: DoorOutput) -> Bool? { levels[output] }

    /// The edges of one output, oldest first.
    public func edges(of output: DoorOutput) -> [Edge] { edges.filter { $0.output == output } }

    /// Records the action as an edge, if it is one.
    public mutating func apply(_ action: DoorAction, at now: Instant) {
        guard levels.updateValue(action.level, forKey: action.output) != action.level else { return }
        if edges.count >= capacity { edges.removeFirst(edges.count - capacity + 1) }
        edges.append(Edge(now, action.output, action.level))
    }
}
