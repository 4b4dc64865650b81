// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
public import Reader
import Timekeeping

/// A group of doors as written in a configuration: `7`, or with a schedule `7 mon-fri 08:00-18:00`, optionally followed
/// by days of the year: `7 sat,sun 10:00-14:00 1-90`.
public struct GroupLine: Equatable, Sendable {
    /// The group's number.
    public let id: UInt16
    /// The schedule; nil if the line has none.
    public let schedule: DoorGroup.Schedule?
    /// The line as written.
    public let text: String

    /// The names of the days, from Monday.
    public static let weekdays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

    /// The name of holidays among the weekdays.
    static let holidays = "hol"

    /// Parses the line; nil if it is invalid. Group 0, the master group, is for credentials only: a configuration
    /// cannot put a door into it.
    public init?(_ text: String, takesMasterGroup: Bool = false) {
        let parts = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let first = parts.first, let id = GroupLine.number(first), (takesMasterGroup ? 0 : 1)...65_535 ~= id
        else { return nil }
        self.id = UInt16(id)
        self.text = text
        switch parts.count {
        case 1: schedule = nil
        case 3, 4:
            guard let weekdays = GroupLine.weekdays(parts[1]), let period = GroupLine.period(parts[2]) else {
                return nil
            }
            var days = (first: 1, last: 366)
            if parts.count == 4 {
                guard let ends = GroupLine.days(parts[3]), 1...366 ~= ends.first, 1...366 ~= ends.last else {
                    return nil
                }
                days = ends
            }
            schedule = DoorGroup.Schedule(
                firstDay: days.first, lastDay: days.last, weekdays: weekdays, period: period)
        default: return nil
        }
    }

    /// Parses digits only; `Int` also accepts a sign.
    static func number(_ text: Substring) -> Int? {
        guard 1...5 ~= text.utf8.count, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(text)
    }

    /// Parses two days of the year, as in `1-90`.
    static func days(_ text: Substring) -> (first: Int, last: Int)? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
        return (first, last)
    }

    /// Parses weekdays, as in `mon-fri`, `sat,sun`, `fri-mon` or `mon-fri,hol`, the last with holidays.
    static func weekdays(_ text: Substring) -> UInt8? {
        var mask: UInt8 = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            if part == holidays {
                mask |= Holidays.bit
                continue
            }
            let ends = part.split(separator: "-", omittingEmptySubsequences: false).map { name in
                weekdays.firstIndex(of: String(name))
            }
            guard 1...2 ~= ends.count, let from = ends[0], let to = ends[ends.count - 1] else { return nil }
            for step in 0...(to + 7 - from) % 7 { mask |= 1 << UInt8((from + step) % 7) }
        }
        return mask
    }

    /// Parses a period, as in `08:00-18:00`.
    private static func period(_ text: Substring) -> OSSTimePeriod? {
        let ends = text.split(separator: "-", omittingEmptySubsequences: false)
        let numbers = ends.flatMap { end in
            end.split(separator: ":", omittingEmptySubsequences: false).map { $0.utf8.count == 2 ? number($0) : nil }
        }
        guard ends.map(\.utf8.count) == [5, 5], numbers.count == 4, let fromHour = numbers[0],
            let fromMinute = numbers[1], let toHour = numbers[2], let toMinute = numbers[3]
        else { return nil }
        return try? OSSTimePeriod(
            fromHour: UInt8(fromHour), fromMinute: UInt8(fromMinute), toHour: UInt8(toHour), toMinute: UInt8(toMinute))
    }
}
