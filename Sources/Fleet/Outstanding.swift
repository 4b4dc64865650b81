// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The messages that a broker has not acknowledged: their number, their octets, and the time that it has.
struct Outstanding: Equatable {
    private(set) var count = 0
    private(set) var octets = 0
    /// The time by which the next acknowledgement is due; nil while nothing is outstanding.
    private(set) var deadline: Instant?

    /// True if a message of the greatest length may follow.
    var hasRoom: Bool {
        count < FleetLimits.unacknowledged && octets + FleetLimits.lineCount <= FleetLimits.unacknowledgedOctets
    }

    /// A message of this length was handed over.
    mutating func add(_ length: Int, at now: Instant) {
        count += 1
        octets += length
        deadline = deadline ?? now + FleetLimits.acknowledgeWithin
    }

    /// A message of this length was acknowledged.
    mutating func remove(_ length: Int, at now: Instant) {
        count = max(0, count - 1)
        octets = max(0, octets - length)
        deadline = count > 0 ? now + FleetLimits.acknowledgeWithin : nil
    }
}
