// SPDX-License-Identifier: Apache-2.0

internal import CBOR
internal import Timekeeping

/// A schedule of an access data element: a period, in which it runs always, daily or weekly. Documents with other
/// recurrences are refused.
struct AliroSchedule {
    private enum Recurrence {
        case none
        /// Seconds, and every how many days.
        case daily(duration: Int64, interval: Int64)
        /// Seconds, weekdays from Monday in bit 0, and every how many weeks.
        case weekly(duration: Int64, weekdays: Int64, interval: Int64)
    }

    private static let day: Int64 = 86_400
    private static let week: Int64 = 7 * day

    /// Seconds since 1970-01-01 on the schedule's clock.
    private let start: Int64
    private let end: Int64?
    private let recurrence: Recurrence
    private let isUTC: Bool

    init(_ node: CBORNode) throws(AliroDocumentFault) {
        guard let start = node[0]?.integer, UInt32(exactly: start) != nil else { throw .format }
        self.start = start
        end = try Self.number(node[1], in: 0...Int64(UInt32.max))
        isUTC = (try Self.number(node[3], in: 0...255) ?? 0) & 1 == 1
        recurrence = try node[2].map { (node) throws(AliroDocumentFault) in try Self.recurrence(node) } ?? .none
    }

    func isRunning(at epochSeconds: Int64, in zone: TimeZoneRule) -> Bool {
        let now = isUTC ? epochSeconds : epochSeconds + zone.offsetSeconds(at: epochSeconds)
        guard now >= start, end.map({ now <= $0 }) ?? true else { return false }
        switch recurrence {
        case .none: return true
        case .daily(let duration, let interval): return (now - start) % (interval * Self.day) < duration
        case .weekly(let duration, let weekdays, let interval):
            // Day 0 of the epoch is a Thursday.
            let monday = start - (start + 3 * Self.day) % Self.week
            let time = start % Self.day
            return (0..<7).contains { weekday in
                guard weekdays >> Int64(weekday) & 1 == 1 else { return false }
                let first = monday + Int64(weekday) * Self.day + time
                // Occurrences before the start do not count.
                guard now >= first else { return false }
                let elapsed = (now - first) % (interval * Self.week)
                return elapsed < duration && now - elapsed >= start
            }
        }
    }

    private static func recurrence(_ node: CBORNode) throws(AliroDocumentFault) -> Recurrence {
        guard let fields = node.array, fields.count >= 4,
            let duration = try number(fields[0], in: 0...Int64(UInt32.max)),
            let mask = try number(fields[1], in: 0...Int64(UInt32.max)), let pattern = fields[2].integer,
            let interval = try number(fields[3], in: 1...255)
        else { throw .format }
        switch pattern {
        case 1: return .daily(duration: duration, interval: interval)
        case 2: return .weekly(duration: duration, weekdays: mask & 0x7F, interval: interval)
        case 3...8: throw .noRight
        default: throw .format
        }
    }

    private static func number(_ node: CBORNode?, in range: ClosedRange<Int64>) throws(AliroDocumentFault) -> Int64? {
        guard let node else { return nil }
        guard let number = node.integer, range.contains(number) else { throw .format }
        return number
    }
}
