// SPDX-License-Identifier: Apache-2.0

import EventStore
import Reader
import Timekeeping

/// The time at which an empty policy begins. The counters of a back end's orders are gone with the previous policy, so
/// that a wrong time would revive orders that were carried out.
struct BeginningTime {
    /// Seconds since 1970; nil if the time is not certain to be after every order that was carried out.
    let seconds: Int64?

    /// The time of a system clock that is synchronised, or not before the last event. A clock before the firmware's
    /// build was not set, and one before the last event was put back; without an event nothing vouches for the clock.
    init(system: WallClock.SystemTime, buildTime: Int64, lastEvent: Int64?) {
        let isPlausible = system.seconds >= max(buildTime, lastEvent ?? buildTime)
        seconds = isPlausible && (system.isSynchronised || lastEvent != nil) ? system.seconds : nil
    }

    /// The consequence for orders, in one line for people.
    var line: String {
        guard let seconds else {
            return
                "the clock is not set, or not certain: every order and state from afar is refused until the clock is "
                + "synchronised, or set with readerd set-time"
        }
        let time = AuditTime(epochSeconds: seconds, utcOffsetMinutes: 0, quality: .system, uptimeMilliseconds: 0)
        return "orders and states from afar that were signed before \(EventLine.time(time) ?? "now") are refused"
    }
}
