// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The local time, by the reader's zone.
extension AccessConfiguration {
    /// The local time; nil while the clock is not set.
    func civilTime(_ epochSeconds: Int64?) -> CivilTime? {
        epochSeconds.map { zone.civilTime(at: $0) }
    }

    /// Seconds since 1970-01-01 UTC at the last local midnight; 0 while the clock is not set.
    func localMidnight(_ moment: Moment) -> UInt32 {
        guard let epoch = moment.epochSeconds else { return 0 }
        let midnight = epoch - secondsOfDay(epoch)
        // A change of the zone's offset since midnight moves it.
        return UInt32(clamping: midnight + zone.offsetSeconds(at: epoch) - zone.offsetSeconds(at: midnight))
    }

    /// The time of the next check for another local midnight: at the next one, and each minute, because a clock can be
    /// set.
    func nextClockCheck(_ moment: Moment) -> Instant {
        let untilMidnight = moment.epochSeconds.map { 86_400 - secondsOfDay($0) } ?? 60
        return moment.instant + .seconds(min(untilMidnight, 60))
    }

    /// The seconds since midnight on the local clock.
    private func secondsOfDay(_ epoch: Int64) -> Int64 {
        let rest = (epoch + zone.offsetSeconds(at: epoch)) % 86_400
        return rest < 0 ? rest + 86_400 : rest
    }
}
