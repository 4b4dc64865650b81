// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The pace at which a companion process is served. The process has the network, and may be in foreign hands: nothing
/// that it sends grows in memory, in the log or on the disk. A value; the time is a parameter.
struct CompanionPacing {
    /// The maximum number of messages within a second: a link's 50 reads, a commissioning over Bluetooth LE, and states
    /// and orders between them. A process that sends more is not ours.
    static let messagesPerSecond = 200
    /// The maximum number of orders within a second: each may move the lock, and costs a record or a signature. Others
    /// are refused, or sent again.
    static let ordersPerSecond = 8
    /// The pace of connections: a process that starts again and again connects each second or later.
    static let connections = TokenBucket.Pace(size: 10, interval: .seconds(2))
    /// The maximum number of lines of the log a minute about connections, and about orders.
    static let linesPerMinute = 20

    private var messages = Count()
    private var orders = Count()
    private var connections = TokenBucket(CompanionPacing.connections, at: .origin)

    /// Events of the present second.
    private struct Count {
        var since = Instant.origin
        var number = 0

        mutating func spend(limit: Int, at now: Instant) -> Bool {
            if now - since >= .seconds(1) { (since, number) = (now, 0) }
            number += 1
            return number <= limit
        }
    }

    /// Counts a message; false if it is one too many.
    mutating func takeMessage(at now: Instant) -> Bool {
        messages.spend(limit: CompanionPacing.messagesPerSecond, at: now)
    }

    /// Counts an order; false if it is one too many.
    mutating func takeOrder(at now: Instant) -> Bool { orders.spend(limit: CompanionPacing.ordersPerSecond, at: now) }

    /// Counts a connection; false if it is one too many.
    mutating func takeConnection(at now: Instant) -> Bool { connections.admit(at: now) }
}
