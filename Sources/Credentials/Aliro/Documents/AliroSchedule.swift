// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Timekeeping

/// A schedule of an access data element: a period, in which it runs always or on the days of a recurrence.
///
/// A schedule can allow or deny, so no reading of an unclear one is safe for both: it is refused.
struct AliroSchedule {
    static let day: Int64 = 86_400

    /// Seconds since 1970-01-01 on the schedule's clock.
    private let start: Int64
    private let end: Int64?
    private let recurrence: AliroRecurrence?
    private let isUTC: Bool

    /// Parses a schedule.
    ///
    /// - Throws: `noRight` for a recurrence that is not supported, `format` for all else.
    init(_ node: CBORNode) throws(AliroDocumentFault) {
        guard let start = try Self.number(node[0], in: 0...Int64(UInt32.max)) else { throw .format }
        self.start = start
        // Zero is no end to some issuers, and one in the past to a calendar.
        end = try Self.number(node[1], in: 1...Int64(UInt32.max))
        isUTC = try Self.number(node[3], in: 0...1) == 1
        recurrence = try node[2].map { (node) throws(AliroDocumentFault) in try AliroRecurrence(node) }
    }

    /// True if it runs at `epochSeconds`. A local schedule follows the clock on the wall: in the hour that a change to
    /// standard time repeats it runs twice, and in one that daylight saving time skips it does not run.
    func isRunning(at epochSeconds: Int64, in zone: TimeZoneRule) -> Bool {
        let now = isUTC ? epochSeconds : epochSeconds + zone.offsetSeconds(at: epochSeconds)
        guard now >= start, end.map({ now <= $0 }) ?? true else { return false }
        guard let recurrence else { return true }
        // Occurrences have the time of the start, and none is before it. Each lasts equally long.
        let earliest = max(start, now - recurrence.duration + 1)
        return (earliest / Self.day...now / Self.day).contains { day in
            let first = day * Self.day + start % Self.day
            return (earliest...now).contains(first) && recurrence.occurs(on: day, since: start / Self.day)
        }
    }

    static func number(_ node: CBORNode?, in range: ClosedRange<Int64>) throws(AliroDocumentFault) -> Int64? {
        guard let node else { return nil }
        guard let number = node.integer, range.contains(number) else { throw .format }
        return number
    }
}
