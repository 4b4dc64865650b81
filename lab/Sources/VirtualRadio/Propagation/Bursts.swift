// SPDX-License-Identifier: Apache-2.0

import SeededNumbers
import Timekeeping

/// Interference at a receiver, as of a Wi-Fi access point next to it: bursts of one to three connection events of 30 ms
/// in which nothing is received, and quiet between them.
struct Bursts {
    /// The greatest share of time: beyond, a burst would have no end.
    static let most = 0.9
    /// The shortest and the longest burst in microseconds.
    private static let length = 30_000.0...90_000.0

    private let share: Double
    private var random: SeededGenerator
    private var isOn = false
    /// The end of the present burst or pause.
    private var ends: Instant

    /// Bursts that take this share of time, from `now` on.
    init(share: Double, _ random: SeededGenerator, at now: Instant) {
        self.share = min(share, Bursts.most)
        self.random = random
        ends = now
        isOn = true
    }

    /// True if nothing is received at `now`, which is never earlier than before.
    mutating func cover(_ now: Instant) -> Bool {
        while ends <= now {
            isOn.toggle()
            let (shortest, longest) = (Bursts.length.lowerBound, Bursts.length.upperBound)
            let burst = shortest + unit() * (longest - shortest)
            // A pause is half to one and a half times as long as bursts of the share let it be on average.
            let pause = (shortest + longest) / 2 * (1 - share) / share * (0.5 + unit())
            ends = ends + .microseconds(Int64(isOn ? burst : pause))
        }
        return isOn
    }

    private mutating func unit() -> Double { Double(random.next() >> 11) * 0x1p-53 }
}
