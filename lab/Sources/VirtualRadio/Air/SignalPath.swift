import Timekeeping

/// The path from one controller to another: level over time, fluctuation, loss.
struct SignalPath {
    /// The default level: that of a receiver a few metres away.
    static let defaultLevel: Int8 = -50

    /// The level over time.
    enum Course {
        /// Constant.
        case fixed(Int8)
        /// Linear in dB between two levels, then constant.
        case walk(from: Int8, to: Int8, begins: Instant, lasts: Duration)
    }

    var course = Course.fixed(SignalPath.defaultLevel)
    /// Uniform noise of at most ± this many dB.
    var fluctuation: UInt8 = 0
    /// The share of lost packets, 0 to 1.
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
