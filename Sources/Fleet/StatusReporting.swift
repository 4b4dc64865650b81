// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The times at which the link's status is reported to the reader: a change at once, a change of the mark alone at most
/// once a second, and an unchanged status at intervals, since the reader does not trust an old status.
struct StatusReporting: Equatable {
    /// The shortest time between two reports of the mark.
    private static let markPause = Duration.seconds(1)

    private var reported: LinkStatus?
    /// The time at which a waiting mark is reported.
    private var markAt: Instant?
    /// The time at which an unchanged status is repeated.
    private var repeatAt: Instant?

    /// The next time at which a report is due; nil for none.
    var nextDeadline: Instant? { Instant.earlier(markAt, repeatAt) }

    /// Returns true if the status has to be reported now, and counts it as reported.
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
