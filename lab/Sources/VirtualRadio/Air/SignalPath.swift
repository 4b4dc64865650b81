// SPDX-License-Identifier: Apache-2.0

import SeededNumbers
import Timekeeping

/// The path from one controller to another: level over time, walls, fluctuation, loss.
struct SignalPath {
    /// The default level, as at a receiver a few metres away.
    static let defaultLevel: Int8 = -50

    /// The level over time.
    enum Course {
        /// Constant.
        case fixed(Int8)
        /// Linear in dB between two levels, then constant.
        case walk(from: Int8, to: Int8, begins: Instant, lasts: Duration)
        /// The model's level along a track at constant speed, then at its end.
        case modelled(Propagation, Track, begins: Instant, lasts: Duration)
    }

    var course = Course.fixed(SignalPath.defaultLevel)
    /// The attenuation by walls in dB.
    var attenuation: UInt8 = 0
    /// Uniform noise of at most ± this many dB.
    var fluctuation: UInt8 = 0
    /// The share of lost packets, 0 to 1.
    var loss = 0.0
    /// The numbers of the noise.
    var noise = SeededGenerator(seed: 0)
    /// The numbers of the loss, apart from the noise: a path that begins to lose packets keeps its noise.
    var losses = SeededGenerator(seed: 0)

    /// The level of a packet with noise, without fading, in dBm, and the distance on a modelled path; nil if the packet
    /// is lost.
    mutating func packet(at now: Instant) -> (level: Int, metres: Double?)? {
        guard !losses.happens(loss) else { return nil }
        let noise = Int(noise.below(2 * UInt64(fluctuation) + 1)) - Int(fluctuation)
        return (level(at: now) + noise, metres(at: now))
    }

    /// The level without noise and fading, in dBm: the level of the course, less the attenuation.
    func level(at now: Instant) -> Int { Int(courseLevel(at: now).rounded()) - Int(attenuation) }

    /// The distance on a modelled path in metres; nil on another.
    func metres(at now: Instant) -> Double? {
        guard case .modelled(_, let track, let begins, let lasts) = course else { return nil }
        return track.metres(at: SignalPath.between(0, 1, begins, lasts, at: now))
    }

    /// The level without walls and noise.
    private func courseLevel(at now: Instant) -> Double {
        switch course {
        case .fixed(let level): Double(level)
        case .walk(let start, let end, let begins, let lasts):
            SignalPath.between(Double(start), Double(end), begins, lasts, at: now)
        case .modelled(let propagation, let track, let begins, let lasts):
            track.level(propagation, at: SignalPath.between(0, 1, begins, lasts, at: now))
        }
    }

    /// The value at `now` of a quantity that changes linearly.
    private static func between(
        _ start: Double, _ end: Double, _ begins: Instant, _ lasts: Duration, at now: Instant
    ) -> Double {
        let elapsed = (now - begins).wholeNanoseconds
        let whole = lasts.wholeNanoseconds
        if elapsed >= whole { return end }
        if elapsed <= 0 { return start }
        return start + Double(elapsed) / Double(whole) * (end - start)
    }
}
