public import Timekeeping

/// The time a token is valid for, in the reader's local time, both ends included.
///
/// The signed text has minutes only; the seconds of both timestamps are in the token but nobody signs them. So:
/// - seconds count as they stand, and can move an end only inside its signed minute, because times are compared
///   field by field (a second of 4,000,000,000 does not reach the next minute);
/// - an end given to the minute, its seconds 0, is the whole of that minute: 17:30 is over at 17:31:00.
///
/// The calendar is not checked: 31 February orders between 30 February and 1 March.
public struct TokenValidity: Hashable, Sendable {
    /// The first second at which the token is valid.
    public var start: CivilTime
    /// The last second at which the token is valid; with seconds 0, the minute.
    public var end: CivilTime

    /// From `start` to `end`, both included.
    public init(from start: CivilTime, through end: CivilTime) {
        self.start = start
        self.end = end
    }

    /// Whether the token is valid when the reader's clock shows `now`.
    public func contains(_ now: CivilTime) -> Bool {
        guard now >= start else { return false }
        var last = end
        if last.second == 0 {
            last.second = 59
        }
        return now <= last
    }
}
