// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// An output that switches on and off a number of times, as a function of the time since its start.
///
/// A late caller gets the level of its time, not the changes before.
public struct SignalPattern: Equatable, Sendable {
    /// The time for which it is on.
    public var on: Duration
    /// The time for which it is off in between.
    public var off: Duration
    /// The number of times that the output switches on; 0 for none.
    public var count: Int

    /// Creates the pattern with these times; negative ones count as zero.
    public init(on: Duration, off: Duration, count: Int) {
        self.on = max(on, .zero)
        self.off = max(off, .zero)
        self.count = max(count, 0)
    }

    /// True if the output is on at `elapsed` since the start.
    func isOn(at elapsed: Duration) -> Bool {
        guard let (round, rest) = position(at: elapsed) else { return false }
        return round < count && rest < on
    }

    /// The first change after `elapsed`, as time since the start; nil when the pattern has ended.
    func nextChange(after elapsed: Duration) -> Duration? {
        guard let (round, rest) = position(at: elapsed), round < count else { return nil }
        // A round below `count` fits an Int.
        let start = (on + off) * Int(round)
        if rest < on { return start + on }
        return round + 1 < count ? start + on + off : nil
    }

    /// The number of complete rounds, and the time into the next; nil if the pattern has no length or has not begun.
    private func position(at elapsed: Duration) -> (round: Int64, rest: Duration)? {
        let period = (on + off).wholeNanoseconds
        let nanoseconds = elapsed.wholeNanoseconds
        guard period > 0, nanoseconds >= 0 else { return nil }
        let (round, rest) = nanoseconds.quotientAndRemainder(dividingBy: period)
        return (round, .nanoseconds(rest))
    }
}
