// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// Connection intervals as text.
package enum IntervalText {
    /// Returns milliseconds with the quarters of connection intervals: `30`, `11.25`.
    package static func milliseconds(_ duration: Duration) -> String {
        let hundredths = duration.wholeNanoseconds / 10_000
        guard hundredths % 100 != 0 else { return String(hundredths / 100) }
        let fraction = String(100 + hundredths % 100).dropFirst()
        return "\(hundredths / 100).\(fraction.hasSuffix("0") ? fraction.dropLast() : fraction)"
    }
}
