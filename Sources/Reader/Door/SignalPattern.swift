import Timekeeping

/// An output that goes on and off a number of times, as a function of the time since it began.
///
/// A caller that comes late gets the level of that time, not the changes that it missed.
public struct SignalPattern: Equatable, Sendable {
    /// How long it is on each time.
    public var on: Duration
    /// How long it is off between two times.
    public var off: Duration
    /// How often it goes on; nothing happens with 0.
    public var count: Int

    /// The pattern with these times; negative ones count as zero.
    public init(on: Duration, off: Duration, count: Int) {
        self.on = max(on, .zero)
        self.off = max(off, .zero)
        self.count = max(count, 0)
    }

    /// Whether the output is on at `elapsed` since the beginning.
    func isOn(at elapsed: Duration) -> Bool {
        guard let (round, rest) = position(at: elapsed) else { return false }
        return round < count && rest < on
    }

    /// The first change after `elapsed`, counted from the beginning as well; nil when the pattern is over.
    func nextChange(after elapsed: Duration) -> Duration? {
        guard let (round, rest) = position(at: elapsed), round < count else { return nil }
        // A round below `count` fits an Int.
        let start = (on + off) * Int(round)
        if rest < on { return start + on }
        return round + 1 < count ? start + on + off : nil
    }

    /// How many rounds are over, and how much of the next; nil where the pattern has no length or has not begun.
    private func position(at elapsed: Duration) -> (round: Int64, rest: Duration)? {
        let period = (on + off).wholeNanoseconds
        let nanoseconds = elapsed.wholeNanoseconds
        guard period > 0, nanoseconds >= 0 else { return nil }
        let (round, rest) = nanoseconds.quotientAndRemainder(dividingBy: period)
        return (round, .nanoseconds(rest))
    }
}
