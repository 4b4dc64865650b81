// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The pace at which the process of the link reads the log: one read at a time.
struct LinkPacing {
    /// The least time between two batches: each costs a signature on the thread of the door.
    static let pause = Duration.milliseconds(20)

    private var wanted: UInt64?
    private var nextRead = Instant.origin

    /// A batch is wanted from this sequence number on; it replaces one that waits.
    mutating func want(from first: UInt64) { wanted = first }

    /// The time of the waiting read; nil for none.
    func deadline(at now: Instant) -> Instant? { wanted == nil ? nil : max(now, nextRead) }

    /// Drops the waiting read; the pause since the last one stays.
    mutating func dropRead() { wanted = nil }

    /// Takes the waiting read: it is carried out now.
    mutating func takeRead(at now: Instant) -> UInt64? {
        guard let first = wanted else { return nil }
        (wanted, nextRead) = (nil, now + LinkPacing.pause)
        return first
    }
}
