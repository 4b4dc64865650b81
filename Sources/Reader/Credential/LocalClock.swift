public import Timekeeping

/// What the reader's wall clock says when a credential is decided about, and how far it is to be believed.
public enum LocalClock: Hashable, Sendable {
    /// Nobody has set it.
    case unset
    /// It was set, and has run alone for so long that it may be off. It decides like a good one; the record tells.
    case uncertain(CivilTime)
    /// It is right.
    case certain(CivilTime)
    /// Phones have moved it: the earliest time that it can be, and the latest that it has shown.
    case moved(CivilTime, earliest: CivilTime, latest: CivilTime)

    /// The local time; nil if there is none that is a time.
    public var time: CivilTime? {
        switch self {
        case .unset: nil
        case .uncertain(let time), .certain(let time), .moved(let time, _, _): time.isValid ? time : nil
        }
    }

    /// The time by which a credential has ended: one that had ended before the clock was put back stays so.
    var latest: CivilTime? {
        if case .moved(let time, _, let latest) = self { max(time, latest) } else { time }
    }

    /// The time by which an entry of the blacklist is over: none is before its time because a phone put the clock ahead.
    var earliest: CivilTime? {
        if case .moved(let time, let earliest, _) = self { min(time, earliest) } else { time }
    }
}
