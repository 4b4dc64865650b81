import Timekeeping

/// Counts refused attempts, and shuts everybody out after a run of them.
struct AttemptLockout: Equatable {
    var rule: LockoutRule
    private var refused = 0
    private var pause: Duration
    /// Until when nobody is let in.
    private(set) var until: Instant?

    init(_ rule: LockoutRule) {
        self.rule = rule
        pause = rule.firstPause
    }

    /// An attempt was refused for what was shown; true if that begins a pause.
    mutating func attemptRefused(at now: Instant) -> Bool {
        guard rule.attempts > 0, until == nil else { return false }
        refused += 1
        guard refused >= rule.attempts else { return false }
        refused = 0
        until = now + pause
        pause = min(pause + pause, rule.longestPause)
        return true
    }

    /// Somebody was let in: the run is over, and so is the back-off.
    mutating func granted() {
        refused = 0
        pause = rule.firstPause
    }

    /// Ends a pause that is over; true if there was one.
    mutating func expire(at now: Instant) -> Bool {
        guard let until, now >= until else { return false }
        self.until = nil
        return true
    }
}
