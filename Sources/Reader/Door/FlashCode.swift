// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A number as flashes of the red light that a person can count: short flashes, a pause, and again.
struct FlashCode: Equatable {
    /// The number of flashes, 1 or more.
    var count: Int
    /// The start of the first one.
    var since: Instant

    /// Slow enough to be counted, and shorter than the signs of a refusal and an alarm are long.
    private static let on = Duration.milliseconds(200)
    private static let period = Duration.milliseconds(500)
    /// From the last flash to the next first one.
    private static let pause = Duration.seconds(2)

    /// True if the light is on.
    func level(at now: Instant) -> Bool { step(at: now).isOn }

    /// The next change after `now`.
    func nextChange(after now: Instant) -> Instant { now + step(at: now).lasts }

    /// The level, and for how long it stays so.
    private func step(at now: Instant) -> (isOn: Bool, lasts: Duration) {
        let flashes = FlashCode.period * count
        let round = (flashes + FlashCode.pause).wholeNanoseconds
        let place = Duration.nanoseconds(max((now - since).wholeNanoseconds, 0) % round)
        guard place < flashes else { return (false, flashes + FlashCode.pause - place) }
        let rest = Duration.nanoseconds(place.wholeNanoseconds % FlashCode.period.wholeNanoseconds)
        guard rest < FlashCode.on else {
            let isLast = place + FlashCode.period >= flashes
            return (false, FlashCode.period - rest + (isLast ? FlashCode.pause : .zero))
        }
        return (true, FlashCode.on - rest)
    }
}
