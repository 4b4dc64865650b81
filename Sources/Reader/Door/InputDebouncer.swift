public import Timekeeping

/// An input's level, once it has lasted for a while: contacts bounce, and wires catch spikes.
///
/// A change counts when the new level has lasted for `time`, told by the times of the edges, not by when somebody
/// got round to them: an active period that is longer than `time` is never lost, also when both of its edges come at
/// once. IEC 60839-11-1 has every active period of more than 400 ms processed.
public struct InputDebouncer: Equatable, Sendable {
    /// How long where nobody says: long enough for a button, and short enough for who wants to get out.
    public static let defaultTime = Duration.milliseconds(20)

    /// How long a level has to last; zero takes every edge.
    public let time: Duration
    /// The level that counts; nil before the first.
    public private(set) var level: Bool?
    /// Since when the input has had the other level.
    private var otherSince: Instant?
    /// After a loss, an active level does not count before the input was seen at rest.
    private var awaitsRest = false

    /// An input whose level is not known.
    public init(time: Duration) {
        self.time = max(time, .zero)
    }

    /// When `advance` is wanted next.
    public var nextDeadline: Instant? { otherSince.map { $0 + time } }

    /// The input has had this level since `edge`. The new level that counts, if that is another one: the first level
    /// does at once.
    public mutating func take(_ isActive: Bool, since edge: Instant) -> Bool? {
        if awaitsRest {
            guard !isActive else { return nil }
            awaitsRest = false
        }
        let settled = advance(to: edge)
        guard let level else {
            self.level = isActive
            return isActive
        }
        guard isActive != level else {
            otherSince = nil
            return settled
        }
        if otherSince == nil { otherSince = edge }
        return advance(to: edge) ?? settled
    }

    /// The new level that counts from `now` on, if there is one.
    public mutating func advance(to now: Instant) -> Bool? {
        guard let since = otherSince, now >= since + time, let level else { return nil }
        otherSince = nil
        self.level = !level
        return !level
    }

    /// The input is lost; its last level stays, or it counts as being at rest and has to be seen so before it can be
    /// active again.
    mutating func lose(rests: Bool) {
        otherSince = nil
        guard rests else { return }
        level = false
        awaitsRest = true
    }
}
