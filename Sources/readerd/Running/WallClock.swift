import CSystem
import Glibc
import Reader

/// The system's clock, as far as it can be believed.
struct WallClock {
    /// Nothing happens before this firmware was built: a clock that shows an earlier time has not been set.
    let earliest: Int64
    /// How far local time is ahead of UTC.
    let utcOffsetMinutes: Int

    /// Seconds since 1970-01-01 UTC; nil while the clock is not set.
    var epochSeconds: Int64? {
        let now = Int64(time(nil))
        return now >= earliest ? now : nil
    }

    /// How far the clock can be believed, once it is set.
    var quality: AuditTime.Quality { readerd_clock_is_synchronised() ? .synchronised : .system }
}
