// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// A battery with its due reports.
struct BatteryModel: Sendable {
    /// The least time between reports of the remaining charge (Matter Core 11.7.7.13).
    static let percentTime = Duration.seconds(10)

    var state = BatteryState()
    /// The earliest time for reporting a change of the remaining charge.
    var percentFrom: Instant?
    /// True if such a change waits.
    var hasPercentChange = false

    /// The time of the next report.
    var deadline: Instant? { hasPercentChange ? percentFrom : nil }
}
