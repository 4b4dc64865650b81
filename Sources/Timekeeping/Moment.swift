/// The time that comes with an input: where the monotonic clock stands, and what the wall clock says, if anything.
public struct Moment: Hashable, Sendable {
    /// For deadlines and intervals.
    public var instant: Instant
    /// Seconds since 1970-01-01 UTC; nil while nobody has set the clock.
    public var epochSeconds: Int64?
    /// The latest time that the wall clock has shown, never before `epochSeconds`: what had ended by then stays ended
    /// when somebody puts the clock back. Nil with `epochSeconds`.
    public var latestSeconds: Int64?
    /// The earliest time that it can be, never after `epochSeconds`: what phones have put the clock ahead is not
    /// believed by what must not end too soon. Nil with `epochSeconds`.
    public var earliestSeconds: Int64?

    /// The moment with these readings; without bounds, of a clock that nobody has moved.
    public init(instant: Instant, epochSeconds: Int64?, latestSeconds: Int64? = nil, earliestSeconds: Int64? = nil) {
        self.instant = instant
        self.epochSeconds = epochSeconds
        self.latestSeconds = epochSeconds.map { max($0, latestSeconds ?? $0) }
        self.earliestSeconds = epochSeconds.map { min($0, earliestSeconds ?? $0) }
    }
}
