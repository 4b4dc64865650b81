// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The times at which the status of the link is reported to the reader: a change at once, but the mark alone no more
/// than once a second, and an unchanged status at intervals, since the reader does not believe an old one.
struct StatusReporting: Equatable {
    /// The least time between two reports of the mark.
    private static let markPause = Duration.seconds(1)

    private var reported: LinkStatus?
    /// The time of the report of a mark that waits.
    private var markAt: Instant?
    /// The time at which an unchanged status is repeated.
    private var repeatAt: Instant?

    /// The next time at which a report is due; nil for none.
    var nextDeadline: Instant? { Instant.earlier(markAt, repeatAt) }

    /// True if the status is to be reported now; it counts as reported.
    mutating func isDue(_ status: LinkStatus, at now: Instant) -> Bool {
        if status == reported {
            markAt = nil
            guard let repeatAt, repeatAt <= now else { return false }
        } else if isMarkAlone(status) {
            let due = markAt ?? now + StatusReporting.markPause
            markAt = due
            guard due <= now else { return false }
        }
        (reported, markAt, repeatAt) = (status, nil, now + FleetLimits.statusInterval)
        return true
    }

    private func isMarkAlone(_ status: LinkStatus) -> Bool {
        var former = reported
        former?.delivered = status.delivered
        return former == status
    }
}
