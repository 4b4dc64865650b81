public import Timekeeping

/// An action that a reactor calls once, at a deadline. May be scheduled again with no allocation.
///
/// Belongs to the reactor's thread. The reactor keeps a pending timer alive.
public final class Timer {
    /// When the action is called, or was to be called last.
    public private(set) var deadline: Instant
    private let action: () -> Void
    private weak var reactor: Reactor?

    /// Where the timer stands in the heap; nil if it is not in it.
    var position: Int?
    /// Orders timers of the same deadline: first scheduled, first called.
    private(set) var order: UInt64 = 0
    /// Taken out of the heap because it is due, and about to be called.
    var isDue = false

    init(_ reactor: Reactor?, deadline: Instant, action: @escaping () -> Void) {
        self.reactor = reactor
        self.deadline = deadline
        self.action = action
    }

    /// Whether the action is still to be called.
    public var isPending: Bool { position != nil || isDue }

    /// Calls it off. Nothing happens if the action has been called.
    public func cancel() {
        isDue = false
        reactor?.remove(self)
    }

    /// Sets a new deadline, whether the timer is pending, was called or was cancelled.
    public func reschedule(at deadline: Instant) {
        cancel()
        self.deadline = deadline
        reactor?.insert(self)
    }

    /// Takes a place among timers of the same deadline.
    func take(order: UInt64) { self.order = order }

    /// Calls the action unless that was called off since the timer became due.
    func fire() {
        guard isDue else { return }
        isDue = false
        action()
    }

    /// Whether this timer comes before the other.
    func precedes(_ other: Timer) -> Bool {
        deadline == other.deadline ? order < other.order : deadline < other.deadline
    }
}
