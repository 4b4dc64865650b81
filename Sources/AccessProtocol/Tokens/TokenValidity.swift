public import Timekeeping

/// The time a token is valid for, in the reader's local time: from its start through second 00 of its end's minute.
///
/// The signed text has minutes only; the seconds of both timestamps are in the token but nobody signs them. So they
/// may take away, and never add:
/// - an end is second 00 of its signed minute, whatever its seconds say: 17:30 is over at 17:30:01, as in the access
///   system's own client core;
/// - a start's seconds count as they stand, and move it to later inside its signed minute only, because times are
///   compared field by field (a second of 4,000,000,000 does not reach the next minute).
///
/// The calendar is not checked: 31 February orders between 30 February and 1 March.
public struct TokenValidity: Hashable, Sendable {
    /// The first second at which the token is valid.
    public var start: CivilTime
    /// The minute whose second 00 is the last at which the token is valid; its own seconds do not count.
    public var end: CivilTime

    /// From `start` through second 00 of `end`.
    public init(from start: CivilTime, through end: CivilTime) {
        self.start = start
        self.end = end
    }

    /// Whether the token is valid when the reader's clock shows `now`.
    public func contains(_ now: CivilTime) -> Bool {
        var last = end
        last.second = 0
        return start <= now && now <= last
    }
}
