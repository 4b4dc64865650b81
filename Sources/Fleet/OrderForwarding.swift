// SPDX-License-Identifier: Apache-2.0

import Timekeeping

/// The orders that the reader has and has not answered, with the correlation data of their senders.
struct OrderForwarding {
    private struct Forwarded {
        var number: UInt64
        var correlation: [UInt8]
        var since: Instant
    }

    private var forwarded: [Forwarded] = []
    private var lastNumber: UInt64 = 0

    /// The number under which the order goes to the reader; nil if it has too many already.
    mutating func begin(correlation: [UInt8], at now: Instant) -> UInt64? {
        forwarded.removeAll { now - $0.since >= FleetLimits.orderWait }
        guard forwarded.count < FleetLimits.ordersAhead else { return nil }
        lastNumber += 1
        forwarded.append(Forwarded(number: lastNumber, correlation: correlation, since: now))
        return lastNumber
    }

    /// The correlation data of the order that is answered; nil if there is no such order.
    mutating func end(_ number: UInt64) -> [UInt8]? {
        guard let index = forwarded.firstIndex(where: { $0.number == number }) else { return nil }
        return forwarded.remove(at: index).correlation
    }

    /// The reader is gone, and with it the answers.
    mutating func forget() { forwarded = [] }
}
