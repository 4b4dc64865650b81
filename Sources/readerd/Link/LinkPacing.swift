// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The pace at which the process of the link is served: one read at a time, and a bounded number of messages.
///
/// The process has the network, and may be in foreign hands: nothing that it sends grows in memory.
struct LinkPacing {
    /// The least time between two batches: each costs a signature on the thread of the door.
    static let pause = Duration.milliseconds(20)
    /// The maximum number of messages within a second: 50 reads, and states and orders between them. A process that
    /// sends more is not ours.
    static let messagesPerSecond = 200

    /// The maximum number of orders within a second: each costs a signature for its answer. Others are dropped.
    static let ordersPerSecond = 8

    private var wanted: UInt64?
    private var nextRead = Instant.origin
    private var messages = Count()
    private var orders = Count()

    /// Events of the present second.
    private struct Count {
        var since = Instant.origin
        var number = 0

        mutating func take(limit: Int, at now: Instant) -> Bool {
            if now - since >= .seconds(1) { (since, number) = (now, 0) }
            number += 1
            return number <= limit
        }
    }

    /// Counts a message; false if it is one too many.
    mutating func takeMessage(at now: Instant) -> Bool { messages.take(limit: LinkPacing.messagesPerSecond, at: now) }

    /// Counts an order; false if it is one too many.
    mutating func takeOrder(at now: Instant) -> Bool { orders.take(limit: LinkPacing.ordersPerSecond, at: now) }

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
