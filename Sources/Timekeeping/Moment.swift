/// The time that comes with an input: where the monotonic clock stands, and what the wall clock says, if anything.
public struct Moment: Hashable, Sendable {
    /// For deadlines and intervals.
    public var instant: Instant
    /// Seconds since 1970-01-01 UTC; nil while nobody has set the clock.
    public var epochSeconds: Int64?

    /// The moment with these readings.
    public init(instant: Instant, epochSeconds: Int64?) {
        self.instant = instant
        self.epochSeconds = epochSeconds
    }
}
