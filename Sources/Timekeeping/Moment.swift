// SPDX-License-Identifier: Apache-2.0

/// The time of an input: the monotonic clock, and the wall clock if set.
public struct Moment: Hashable, Sendable {
    /// For deadlines and intervals.
    public var instant: Instant
    /// Seconds since 1970-01-01 UTC; nil while the clock is not set.
    public var epochSeconds: Int64?
    /// The latest time that the wall clock has shown, never before `epochSeconds`: validities that have ended by then
    /// stay ended when the clock is set back. Nil with `epochSeconds`.
    public var latestSeconds: Int64?
    /// The earliest time that it can be, never after `epochSeconds`: advances of the clock by phones do not count for
    /// expiries that must not be early. Nil with `epochSeconds`.
    public var earliestSeconds: Int64?

    /// The moment with these readings. The defaults of the bounds describe an unmodified clock.
    public init(instant: Instant, epochSeconds: Int64?, latestSeconds: Int64? = nil, earliestSeconds: Int64? = nil) {
        self.instant = instant
        self.epochSeconds = epochSeconds
        self.latestSeconds = epochSeconds.map { max($0, latestSeconds ?? $0) }
        self.earliestSeconds = epochSeconds.map { min($0, earliestSeconds ?? $0) }
    }

    /// True if a time, in seconds since the epoch, has passed on the clock or on the latest that it has shown, or
    /// without a clock: putting the clock back revives nothing.
    public func isOver(_ until: Int64) -> Bool {
        guard let epochSeconds, let latestSeconds else { return true }
        return max(epochSeconds, latestSeconds) > until
    }
}
