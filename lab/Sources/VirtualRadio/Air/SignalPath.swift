import Timekeeping

/// The path from one controller to another: level over time, walls, fluctuation, loss.
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
    /// The attenuation by walls in dB.
    var attenuation: UInt8 = 0
    /// Uniform noise of at most ± this many dB.
    var fluctuation: UInt8 = 0
    /// The share of lost packets, 0 to 1.
    var loss = 0.0

    /// The level without noise, in dBm: that of the course, less the attenuation.
    func level(at now: Instant) -> Int { Int(courseLevel(at: now)) - Int(attenuation) }

    /// The level without walls and noise.
    private func courseLevel(at now: Instant) -> Int8 {
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
