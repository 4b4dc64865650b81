// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// The local time for the decision about a credential, with its uncertainty.
public enum LocalClock: Hashable, Sendable {
    /// The clock is not set.
    case unset
    /// The clock was set so long ago that it may be off. Decisions are as for `certain`; the record states the quality.
    case uncertain(CivilTime)
    /// The time is correct.
    case certain(CivilTime)
    /// Phones have set the clock: the earliest time that it can be, and the latest time that it has shown.
    case moved(CivilTime, earliest: CivilTime, latest: CivilTime)

    /// The local time; nil if it is unset or invalid.
    public var time: CivilTime? {
        switch self {
        case .unset: nil
        case .uncertain(let time), .certain(let time), .moved(let time, _, _): time.isValid ? time : nil
        }
    }

    /// The time for the end of a credential: a credential that ended before the clock was set back remains ended.
    var latest: CivilTime? {
        if case .moved(let time, _, let latest) = self { max(time, latest) } else { time }
    }

    /// The time for the end of a blacklist entry: an entry does not end early because a phone set the clock ahead.
    var earliest: CivilTime? {
        if case .moved(let time, let earliest, _) = self { min(time, earliest) } else { time }
    }
}
