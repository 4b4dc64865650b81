import Glibc

/// The system's clock, as far as it can be believed.
struct WallClock {
    /// Nothing happens before this firmware was built: a clock that shows an earlier time has not been set.
    let earliest: Int64

    /// Seconds since 1970-01-01 UTC; nil while the clock is not set.
    var epochSeconds: Int64? {
        let now = Int64(time(nil))
        return now >= earliest ? now : nil
    }
}
