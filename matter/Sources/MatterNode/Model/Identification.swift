// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The time during which the device identifies itself to people.
struct Identification: Sendable {
    /// The end; nil if the device does not identify itself.
    var end: Instant?

    /// The remaining time in whole seconds, rounded up.
    func seconds(at now: Instant) -> UInt16 {
        guard let end, end > now else { return 0 }
        return UInt16(clamping: ((end - now).wholeMilliseconds + 999) / 1000)
    }
}
