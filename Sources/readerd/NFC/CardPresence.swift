// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The time for which the field of the poll role has not been empty: a card that is left on the reader keeps it from
/// serving others.
struct CardPresence: Equatable {
    /// The time after which a card counts as left on the reader: far longer than a person holds it there.
    static let leftTime = Duration.seconds(60)

    /// The first card since the field was empty; nil without one.
    private(set) var since: Instant?
    /// True if the card was reported as left.
    private(set) var isReported = false

    /// The time of the next call of `advance`.
    var nextDeadline: Instant? { isReported ? nil : since.map { $0 + CardPresence.leftTime } }

    /// Handles a card in the field.
    mutating func occupied(at now: Instant) {
        if since == nil { since = now }
    }

    /// True if the card is to be reported as left, once.
    mutating func advance(to now: Instant) -> Bool {
        guard let deadline = nextDeadline, now >= deadline else { return false }
        isReported = true
        return true
    }

    /// Handles the empty field, and a chip that has failed: returns the duration of a reported presence.
    mutating func emptied(at now: Instant) -> Duration? {
        defer { (since, isReported) = (nil, false) }
        guard isReported, let since else { return nil }
        return now - since
    }
}
