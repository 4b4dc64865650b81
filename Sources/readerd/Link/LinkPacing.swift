// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The pace at which the process of the link reads the log: one read at a time.
struct LinkPacing {
    /// The least time between two batches: each costs a signature on the thread of the door.
    static let pause = Duration.milliseconds(20)

    /// A batch that the process wants.
    struct Read: Equatable {
        /// The first sequence number.
        var first: UInt64
        /// The maximum length of its message in octets.
        var octets: Int
    }

    private var wanted: Read?
    private var nextRead = Instant.origin

    /// A batch is wanted; it replaces a waiting one.
    mutating func want(_ read: Read) { wanted = read }

    /// The time of the waiting read; nil for none.
    func deadline(at now: Instant) -> Instant? { wanted == nil ? nil : max(now, nextRead) }

    /// Drops the waiting read; the pause since the last one stays.
    mutating func dropRead() { wanted = nil }

    /// Removes and returns the waiting read, for execution now; nil if no read waits.
    mutating func takeRead(at now: Instant) -> Read? {
        guard let read = wanted else { return nil }
        (wanted, nextRead) = (nil, now + LinkPacing.pause)
        return read
    }
}
