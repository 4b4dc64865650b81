// SPDX-License-Identifier: Apache-2.0

import BackEnd
import Glibc
import Timekeeping

/// The desk's clock: the local time, which readers of the site share, and the time in UTC for the register.
struct DeskClock {
    let local: CivilTime
    let utc: String

    /// The local time as `2026-11-28T10:00`.
    var minute: String { LocalMinute.text(local) }

    /// This machine's clock.
    static var now: DeskClock {
        var (now, fields) = (time(nil), tm())
        localtime_r(&now, &fields)
        return DeskClock(epochSeconds: Int64(now), utcOffsetMinutes: fields.tm_gmtoff / 60)
    }

    /// The clock at this time.
    init(epochSeconds: Int64, utcOffsetMinutes: Int = 0) {
        local = CivilTime(epochSeconds: epochSeconds, utcOffsetMinutes: utcOffsetMinutes)
        utc = LocalMinute.text(CivilTime(epochSeconds: epochSeconds)) + "Z"
    }

    /// The local minute so many days from now.
    func minute(inDays days: Int64) -> CivilTime {
        var time = CivilTime(epochSeconds: local.epochSeconds + days * 86_400)
        time.second = 0
        return time
    }
}
