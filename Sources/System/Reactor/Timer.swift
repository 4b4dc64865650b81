// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// An action that a reactor calls once at a deadline. It can be rescheduled without allocation.
///
/// To be used on the reactor's thread. The reactor retains a pending timer.
public final class Timer {
    /// The next deadline, or the last one.
    public private(set) var deadline: Instant
    private let action: () -> Void
    private weak var reactor: Reactor?

    /// The position in the heap; nil if it is not in it.
    var position: Int?
    /// The order of scheduling, which decides among timers with the same deadline.
    private(set) var order: UInt64 = 0
    /// True if it was removed from the heap as due, and is about to be called.
    var isDue = false

    init(_ reactor: Reactor?, deadline: Instant, action: @escaping () -> Void) {
        self.reactor = reactor
        self.deadline = deadline
        self.action = action
    }

    /// True if the action is still to be called.
    public var isPending: Bool { position != nil || isDue }

    /// Cancels the timer; no effect if the action has been called.
    public func cancel() {
        isDue = false
        reactor?.remove(self)
    }

    /// Sets a new deadline for a pending, called or cancelled timer.
    public func reschedule(at deadline: Instant) {
        cancel()
        self.deadline = deadline
        reactor?.insert(self)
    }

    /// Sets the deadline; nil cancels. No effect if the timer is pending at this deadline.
    public func set(_ deadline: Instant?) {
        guard let deadline else { return cancel() }
        if !isPending || deadline != self.deadline { reschedule(at: deadline) }
    }

    /// Sets the order among timers with the same deadline.
    func adopt(order: UInt64) { self.order = order }

    /// Calls the action, unless it was cancelled since it became due.
    func fire() {
        guard isDue else { return }
        isDue = false
        action()
    }

    /// True if this timer precedes the other.
    func precedes(_ other: Timer) -> Bool {
        deadline == other.deadline ? order < other.order : deadline < other.deadline
    }
}
