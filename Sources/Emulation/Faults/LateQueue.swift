public import Timekeeping

/// Things that are done later, in the order in which they were to be done: one that waits holds up those behind it.
public struct LateQueue<Thing> {
    private var waiting: [(due: Instant, thing: Thing)] = []

    /// An empty queue.
    public init() {}

    /// Whether nothing waits.
    public var isEmpty: Bool { waiting.isEmpty }

    /// Puts a thing behind the others, to be done `delay` after `now` at the earliest.
    public mutating func add(_ thing: Thing, delay: Duration, at now: Instant) {
        let due = now + delay
        waiting.append((waiting.last.map { max($0.due, due) } ?? due, thing))
    }

    /// The next thing that is due; nil if there is none.
    public mutating func next(at now: Instant) -> Thing? {
        guard let first = waiting.first, first.due <= now else { return nil }
        return waiting.removeFirst().thing
    }

    /// Drops what is not to be done any more.
    public mutating func removeAll(where isDropped: (Thing) -> Bool) { waiting.removeAll { isDropped($0.thing) } }

    /// When the next one is due.
    public var deadline: Instant? { waiting.first?.due }
}

extension LateQueue: Sendable where Thing: Sendable {}
