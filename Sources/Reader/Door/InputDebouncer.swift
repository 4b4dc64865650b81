// SPDX-License-Identifier: Apache-2.0

public import Timekeeping

/// A debounced input, against bouncing contacts and spikes on wires.
///
/// A change counts when the new level has lasted for `time`, measured by the times of the edges, not by the time of the
/// call: an active period longer than `time` is never lost, also if both of its edges arrive together. IEC 60839-11-1
/// wants every active period of more than 400 ms processed.
public struct InputDebouncer: Equatable, Sendable {
    /// The default debounce time: long enough for a button, and without a noticeable delay of an exit.
    public static let defaultTime = Duration.milliseconds(20)

    /// The time for which a level has to last; with zero every edge counts.
    public let time: Duration
    /// The debounced level; nil before the first.
    public private(set) var level: Bool?
    /// The time since which the input has had the opposite level.
    private var otherSince: Instant?
    /// True after a loss, until the input is seen at rest; an active level does not count before.
    private var awaitsRest = false

    /// Creates an input whose level is not known.
    public init(time: Duration) {
        self.time = max(time, .zero)
    }

    /// The time of the next call of `advance`.
    public var nextDeadline: Instant? { otherSince.map { $0 + time } }

    /// Handles the input's level since `edge`; the first level counts at once.
    ///
    /// - Returns: The new debounced level; nil if it has not changed.
    public mutating func receive(_ isActive: Bool, since edge: Instant) -> Bool? {
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

    /// Advances to `now`.
    ///
    /// - Returns: The new debounced level; nil if it has not changed.
    public mutating func advance(to now: Instant) -> Bool? {
        guard let since = otherSince, now >= since + time, let level else { return nil }
        otherSince = nil
        self.level = !level
        return !level
    }

    /// Drops a change that has not lasted yet.
    mutating func forgetChange() { otherSince = nil }

    /// Reports the input's loss. Its last level stays; with `rests` it counts as at rest, and has to be seen at rest
    /// before it can become active again.
    mutating func lose(rests: Bool) {
        otherSince = nil
        guard rests else { return }
        level = false
        awaitsRest = true
    }
}
