public import Timekeeping

/// Things that are done later, in the order in which they were to be done: one that waits holds up those behind it. Only
/// the last of all holds up nothing: what comes until it is due goes before it.
public struct LateQueue<Thing> {
    private var waiting: [(due: Instant, thing: Thing)] = []
    private var last: (due: Instant, thing: Thing)?

    /// An empty queue.
    public init() {}

    /// Whether nothing waits.
    public var isEmpty: Bool { waiting.isEmpty && last == nil }

    /// Whether `end` was called, and the last of all has not been done.
    public var isEnding: Bool { last != nil }

    /// Puts a thing behind the others, to be done `delay` after `now` at the earliest.
    public mutating func add(_ thing: Thing, delay: Duration, at now: Instant) {
        waiting.append((due(delay, at: now), thing))
    }

    /// Has a thing done `delay` after `now`, or with the last that waits now if that is later; nothing is done after it.
    public mutating func end(with thing: Thing, delay: Duration, at now: Instant) {
        if last == nil { last = (due(delay, at: now), thing) }
    }

    private func due(_ delay: Duration, at now: Instant) -> Instant {
        waiting.last.map { max($0.due, now + delay) } ?? now + delay
    }

    /// The next thing that is due; nil if there is none.
    public mutating func next(at now: Instant) -> Thing? {
        if let first = waiting.first, first.due <= now, last.map({ first.due <= $0.due }) ?? true {
            return waiting.removeFirst().thing
        }
        guard let end = last, end.due <= now else { return nil }
        self = LateQueue()
        return end.thing
    }

    /// When the next one is due.
    public var deadline: Instant? { Instant.earlier(waiting.first?.due, last?.due) }
}

extension LateQueue: Sendable where Thing: Sendable {}
