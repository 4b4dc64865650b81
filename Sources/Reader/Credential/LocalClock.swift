public import Timekeeping

/// What the reader's wall clock says when a credential is decided about, and how far it is to be believed.
public enum LocalClock: Hashable, Sendable {
    /// Nobody has set it.
    case unset
    /// It was set, and has run alone for so long that it may be off. It decides like a good one; the record tells.
    case uncertain(CivilTime)
    /// It is right.
    case certain(CivilTime)

    /// The local time; nil if there is none that is a time.
    public var time: CivilTime? {
        switch self {
        case .unset: nil
        case .uncertain(let time), .certain(let time): time.isValid ? time : nil
        }
    }
}
