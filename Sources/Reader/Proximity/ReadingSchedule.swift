// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The times of a link's RSSI readings for a trace or a site survey, at the pace of a gate.
struct ReadingSchedule {
    /// The time between two readings, unless the connection interval is longer.
    private let interval: Duration
    private var connectionInterval: Duration
    /// The time of the next reading. The first is due one interval after the start: there is no RSSI before the phone's
    /// first packet.
    private(set) var next: Instant

    /// A schedule for a link that was established at `now`.
    init(interval: Duration, connectionInterval: Duration, at now: Instant) {
        (self.interval, self.connectionInterval, next) = (interval, connectionInterval, now)
        next = now + pace
    }

    /// True if a reading is due at `now`; the next one is then due one interval later.
    mutating func consume(at now: Instant) -> Bool {
        guard now >= next else { return false }
        next = now + pace
        return true
    }

    /// Takes a change of the connection interval; readings at a shorter distance would be of the same packet.
    mutating func connectionIntervalChanged(to interval: Duration) { connectionInterval = interval }

    private var pace: Duration { max(interval, connectionInterval) }
}
