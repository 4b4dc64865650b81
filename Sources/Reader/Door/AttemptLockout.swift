// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The lockout: refuses access for a time after a run of refused attempts.
struct AttemptLockout: Equatable {
    var rule: LockoutRule
    private var refused = 0
    private var pause: Duration
    /// The end of the lockout; nil outside of one.
    private(set) var until: Instant?

    init(_ rule: LockoutRule) {
        self.rule = rule
        pause = rule.firstPause
    }

    /// Counts an attempt that was refused because of its credential; true if it begins a lockout.
    mutating func attemptRefused(at now: Instant) -> Bool {
        guard rule.attempts > 0, until == nil else { return false }
        refused += 1
        guard refused >= rule.attempts else { return false }
        refused = 0
        // A changed rule limits the next lockout too.
        pause = min(pause, rule.longestPause)
        until = now + pause
        pause += pause
        return true
    }

    /// Ends the run of refused attempts and the back-off.
    mutating func granted() {
        refused = 0
        pause = rule.firstPause
    }

    /// Ends a lockout whose time is over; true if there was one.
    mutating func expire(at now: Instant) -> Bool {
        guard let until, now >= until else { return false }
        self.until = nil
        return true
    }
}
