// SPDX-License-Identifier: Apache-2.0

import Octets

/// A moment in seconds since 2000-01-01 00:00:00 UTC.
public struct MatterTime: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The seconds from 1970 to 2000.
    private static let epoch: Int64 = 946_684_800

    /// Seconds since 2000.
    public let rawValue: UInt32
    /// The moment `rawValue` seconds after the beginning of 2000.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The moment of a Unix time; nil outside 2000 to 2136.
    public init?(unixTime: Int64) {
        guard let seconds = UInt32(exactly: unixTime - MatterTime.epoch) else { return nil }
        rawValue = seconds
    }

    /// The chronological order.
    public static func < (left: MatterTime, right: MatterTime) -> Bool { left.rawValue < right.rawValue }

    /// ISO 8601, UTC.
    public var description: String {
        let (date, clock) = (date, clock)
        return "\(date.year)-\(date.month.padded(to: 2))-\(date.day.padded(to: 2))T"
            + "\(clock.hour.padded(to: 2)):\(clock.minute.padded(to: 2)):\(clock.second.padded(to: 2))Z"
    }

    /// The DER of the moment in a certificate (RFC 5280, 4.1.2.5); 0 means no end.
    var der: [UInt8] {
        guard rawValue != 0 else { return DER.element(.generalizedTime, Array("99991231235959Z".utf8)) }
        let (date, clock) = (date, clock)
        let isShort = date.year < 2050
        let year = isShort ? (date.year % 100).padded(to: 2) : String(date.year)
        let digits = [date.month, date.day, clock.hour, clock.minute, clock.second].map { $0.padded(to: 2) }.joined()
        return DER.element(isShort ? .utcTime : .generalizedTime, Array((year + digits + "Z").utf8))
    }

    private var clock: (hour: Int, minute: Int, second: Int) {
        let seconds = Int(rawValue % 86_400)
        return (seconds / 3_600, seconds / 60 % 60, seconds % 60)
    }

    private var date: (year: Int, month: Int, day: Int) {
        // Days since 2000-03-01 in eras of 400 Gregorian years, which begin with March; negative before.
        let days = Int(rawValue / 86_400) - 60
        let era = days < 0 ? -1 : days / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        let year = 2_000 + era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }
}
