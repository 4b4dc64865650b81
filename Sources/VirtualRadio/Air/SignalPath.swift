import Timekeeping

/// How one controller's signal reaches another: its level over time, how much it fluctuates, how much of it is lost.
struct SignalPath {
    /// What a receiver a few metres away sees when nothing was set.
    static let defaultLevel: Int8 = -50

    /// The level over time.
    enum Course {
        /// Always the same.
        case fixed(Int8)
        /// Linear in dB from one level to the other, then constant.
        case walk(from: Int8, to: Int8, begins: Instant, lasts: Duration)
    }

    var course = Course.fixed(SignalPath.defaultLevel)
    /// Uniform noise of at most this many dB either way.
    var fluctuation: UInt8 = 0
    /// The share of packets that are lost, 0 to 1.
    var loss = 0.0

    /// The level without noise.
    func level(at now: Instant) -> Int8 {
        switch course {
        case .fixed(let level): return level
        case .walk(let start, let end, let begins, let lasts):
            let elapsed = (now - begins).wholeNanoseconds
            let whole = lasts.wholeNanoseconds
            if elapsed <= 0 { return start }
            if elapsed >= whole { return end }
            let part = Double(elapsed) / Double(whole)
            return Int8(clamping: Int((Double(start) + part * (Double(end) - Double(start))).rounded()))
        }
    }
}
