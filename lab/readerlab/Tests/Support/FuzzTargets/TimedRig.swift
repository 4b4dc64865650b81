// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A rig with a clock.
protocol TimedRig: ~Copyable {
    var now: Instant { get set }
    /// The time of the next call that the part needs.
    var deadline: Instant? { get }
    /// Calls it, at the time that it is by then, and lets it do what it has to.
    mutating func reach(_ instant: Instant)
}

extension TimedRig where Self: ~Copyable {
    /// Time passes, with a stop at each deadline.
    mutating func pass(_ duration: Duration) {
        let end = now + duration
        while let deadline, deadline <= end { advance(to: deadline) }
        now = end
    }

    mutating func passToDeadline() {
        if let deadline { advance(to: deadline) }
    }

    private mutating func advance(to instant: Instant) {
        now = max(now, instant)
        reach(now)
        if let deadline { require(deadline > now, "time does not go on: at \(now) something is due at \(deadline)") }
    }
}
