// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The validity of a token in the reader's local time: from its start through second 00 of its end's minute.
///
/// The signed text has minutes only; the seconds of both timestamps are in the token, unsigned. They can therefore
/// shorten the validity, but never extend it:
/// - an end is second 00 of its signed minute, regardless of its seconds: 17:30 has passed at 17:30:01, as in the
///   access system's own client core;
/// - a start's seconds count, and only delay it within its signed minute, because times are compared field by field
///   (a second of 4,000,000,000 does not reach the next minute).
///
/// The calendar is not validated: 31 February lies between 30 February and 1 March.
public struct TokenValidity: Hashable, Sendable {
    /// The first second of the validity.
    public var start: CivilTime
    /// The minute whose second 00 is the last of the validity; its own seconds do not count.
    public var end: CivilTime

    /// From `start` through second 00 of `end`.
    public init(from start: CivilTime, through end: CivilTime) {
        self.start = start
        self.end = end
    }

    /// True if the token is valid when the reader's clock shows `now`.
    public func contains(_ now: CivilTime) -> Bool {
        var last = end
        last.second = 0
        return start <= now && now <= last
    }

    /// True if the token is valid when the reader's clock shows `now`, and has not ended at `latest`, the latest time
    /// that it has shown. False without a clock.
    public func contains(_ now: CivilTime?, latest: CivilTime?) -> Bool {
        guard let now, let latest else { return false }
        return contains(now) && contains(max(now, latest))
    }
}
