// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A queue of delayed actions in order: a delayed action also delays those behind it. Only the final one delays
/// nothing: actions added until it is due precede it.
public struct LateQueue<Thing> {
    private var waiting: [(due: Instant, thing: Thing)] = []
    private var last: (due: Instant, thing: Thing)?

    /// An empty queue.
    public init() {}

    /// True if the queue is empty.
    public var isEmpty: Bool { waiting.isEmpty && last == nil }

    /// True if `end` was called, and the final action is pending.
    public var isEnding: Bool { last != nil }

    /// Appends an action, due `delay` after `now`, and `gap` after the last queued action, at the earliest.
    public mutating func add(_ thing: Thing, delay: Duration, behind gap: Duration = .zero, at now: Instant) {
        waiting.append((due(delay, behind: gap, at: now), thing))
    }

    /// Sets the final action, due `delay` after `now` and after the last queued action; nothing follows it.
    public mutating func end(with thing: Thing, delay: Duration, at now: Instant) {
        if last == nil { last = (due(delay, behind: delay, at: now), thing) }
    }

    private func due(_ delay: Duration, behind gap: Duration, at now: Instant) -> Instant {
        waiting.last.map { max($0.due + gap, now + delay) } ?? now + delay
    }

    /// Removes and returns the next action that is due; nil if no action is due.
    public mutating func next(at now: Instant) -> Thing? {
        if let first = waiting.first, first.due <= now, last.map({ first.due <= $0.due }) ?? true {
            return waiting.removeFirst().thing
        }
        guard let end = last, end.due <= now else { return nil }
        self = LateQueue()
        return end.thing
    }

    /// The time at which the next action is due.
    public var deadline: Instant? { Instant.earlier(waiting.first?.due, last?.due) }
}

extension LateQueue: Sendable where Thing: Sendable {}
