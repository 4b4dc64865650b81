// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Phone
import System
import Timekeeping

extension PhoneClock {
    /// This machine's clock.
    package static var system: PhoneClock {
        var (now, local) = (time(nil), tm())
        localtime_r(&now, &local)
        return PhoneClock(Int64(now), at: MonotonicClock.now, utcOffsetMinutes: local.tm_gmtoff / 60)
    }
}
