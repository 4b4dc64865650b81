// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The orders that the reader has not answered yet, with the correlation data of their senders.
struct OrderForwarding {
    private struct Forwarded {
        var number: UInt64
        var correlation: [UInt8]
        var since: Instant
    }

    private var forwarded: [Forwarded] = []
    private var lastNumber: UInt64 = 0

    /// Records an order, and returns its number for the reader; nil if too many orders are unanswered.
    mutating func begin(correlation: [UInt8], at now: Instant) -> UInt64? {
        forwarded.removeAll { now - $0.since >= FleetLimits.orderWait }
        guard forwarded.count < FleetLimits.ordersAhead else { return nil }
        lastNumber += 1
        forwarded.append(Forwarded(number: lastNumber, correlation: correlation, since: now))
        return lastNumber
    }

    /// Removes the answered order, and returns its correlation data; nil for an unknown number.
    mutating func end(_ number: UInt64) -> [UInt8]? {
        guard let index = forwarded.firstIndex(where: { $0.number == number }) else { return nil }
        return forwarded.remove(at: index).correlation
    }

    /// Removes all orders: the reader is lost, and its answers with it.
    mutating func forget() { forwarded = [] }
}
