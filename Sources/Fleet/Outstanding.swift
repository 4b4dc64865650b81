// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The messages that a broker has not acknowledged: their number, their octets, and the time limit.
struct Outstanding: Equatable {
    private(set) var count = 0
    private(set) var octets = 0
    /// The time by which the next acknowledgement is due; nil while nothing is outstanding.
    private(set) var deadline: Instant?

    /// True if a message of the greatest length may follow.
    var hasRoom: Bool {
        count < FleetLimits.unacknowledged && octets + FleetLimits.lineCount <= FleetLimits.unacknowledgedOctets
    }

    /// Adds a sent message of this length.
    mutating func add(_ length: Int, at now: Instant) {
        count += 1
        octets += length
        deadline = deadline ?? now + FleetLimits.acknowledgeWithin
    }

    /// Removes an acknowledged message of this length.
    mutating func remove(_ length: Int, at now: Instant) {
        count = max(0, count - 1)
        octets = max(0, octets - length)
        deadline = count > 0 ? now + FleetLimits.acknowledgeWithin : nil
    }
}
