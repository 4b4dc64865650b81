import CSystem
import Glibc
import Reader

/// The system's clock, as far as it can be believed, and what an operator has corrected it by.
struct WallClock {
    /// Nothing happens before this firmware was built: a clock that shows an earlier time has not been set.
    let earliest: Int64
    /// How far local time is ahead of UTC.
    let utcOffsetMinutes: Int
    /// What an operator has set; the system's own clock is never touched.
    let correction = ClockCorrection()

    /// Seconds since 1970-01-01 UTC; nil while the clock is not set.
    var epochSeconds: Int64? {
        let now = Int64(time(nil)) &+ (correction.seconds == 0 ? 0 : heldCorrection)
        return now >= earliest ? now : nil
    }

    /// How far the clock can be believed, once it is set.
    var quality: AuditTime.Quality {
        if readerd_clock_is_synchronised() { return .synchronised }
        return correction.seconds == 0 ? .system : .phone
    }

    /// A synchronised system clock holds over what anybody has set.
    private var heldCorrection: Int64 { readerd_clock_is_synchronised() ? 0 : correction.seconds }

    /// Sets the clock; false if the system's is synchronised and holds, or the time cannot be the present one.
    func set(_ seconds: Int64) -> Bool {
        guard seconds >= earliest, !readerd_clock_is_synchronised() else { return false }
        correction.seconds = seconds - Int64(time(nil))
        return true
    }
}

/// By how much a clock is off. One object, so that all who read the clock see the same; it lasts as long as the process.
final class ClockCorrection {
    /// What is to be added to the system's clock, in seconds.
    var seconds: Int64 = 0
}
