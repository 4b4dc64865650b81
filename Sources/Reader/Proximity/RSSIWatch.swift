// SPDX-License-Identifier: Apache-2.0

import Peripheral

/// The usability of the controller's RSSI readings. A controller may list the command, but answer it with an error or
/// invalid values, or never.
struct RSSIWatch {
    /// The number of links in a row without a usable reading that shows it: more than phones that leave at once.
    static let linkLimit = 3

    /// The last answer that was no usable reading.
    private(set) var last = RSSIReading.none
    /// True if the readings are not usable.
    private(set) var isUnusable = false
    private var links = 0

    /// Handles an answer. True if it is the first usable one after `isUnusable`.
    mutating func receive(_ reading: RSSIReading) -> Bool {
        guard case .value = reading else {
            last = reading
            return false
        }
        defer { self = RSSIWatch() }
        return isUnusable
    }

    /// Handles the end of a gate's window without a usable reading. True if that makes the readings unusable.
    mutating func windowEndedWithoutReading() -> Bool {
        links += 1
        guard links >= RSSIWatch.linkLimit, !isUnusable else { return false }
        isUnusable = true
        return true
    }
}
