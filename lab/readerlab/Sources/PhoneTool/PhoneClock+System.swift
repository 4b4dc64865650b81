// SPDX-License-Identifier: Apache-2.0

import Glibc
package import Phone
import System
import Timekeeping

extension PhoneClock {
    /// This machine's clock.
    package static var system: PhoneClock { PhoneClock(Int64(time(nil)), at: MonotonicClock.now) }
}
