// SPDX-License-Identifier: Apache-2.0

/// A holiday with its name.
public struct Holiday: Hashable, Sendable {
    /// The name, for people.
    public var name: String
    /// The days.
    public var rule: HolidayRule

    /// A holiday with this name and rule.
    public init(_ name: String, _ rule: HolidayRule) { (self.name, self.rule) = (name, rule) }
}

/// A list of holidays, in local days: from midnight to midnight of the local time, 23 to 25 hours.
public struct Holidays: Equatable, Sendable {
    /// The maximum number of holidays: every day of a year.
    public static let limit = 366
    /// The bit of holidays in a mask of weekdays, after bit 6 for Sunday.
    public static let bit: UInt8 = 0x80

    /// The holidays; several may fall on one day.
    public var list: [Holiday]
    /// False if the list was lost: no schedule holds then, on any day.
    public var isKnown = true

    /// A known list.
    public init(_ list: [Holiday] = []) { self.list = list }

    /// A list that was lost.
    public static var unknown: Holidays {
        var unknown = Holidays()
        unknown.isKnown = false
        return unknown
    }

    /// True if the day of this valid time is a holiday, and for an unknown list.
    public func covers(_ day: CivilTime) -> Bool { !isKnown || list.contains { $0.rule.covers(day) } }

    /// The first holiday on the day of this valid time; nil for none.
    public func first(on day: CivilTime) -> Holiday? { list.first { $0.rule.covers(day) } }

    /// True if a schedule with this mask of weekdays holds on the day of this valid time, whose weekday is 0 Monday to
    /// 6 Sunday. A holiday counts as its own kind of day, not as its weekday.
    public func permit(_ weekdays: UInt8, on day: CivilTime, weekday: Int) -> Bool {
        guard isKnown else { return false }
        return covers(day) ? weekdays & Holidays.bit != 0 : weekdays >> UInt8(weekday) & 1 == 1
    }

    /// The holidays that begin or last in a year, each day with its name, in order.
    public func days(of year: Int) -> [(day: CivilTime, name: String)] {
        var days: [(number: Int, name: String)] = []
        for holiday in list {
            for occurrence in (year - 1...year + 1).compactMap({ holiday.rule.days(in: $0) }) {
                days += occurrence.map { ($0, holiday.name) }
            }
        }
        let found = days.map { (day: CivilTime(dayNumber: $0.number), name: $0.name) }.filter { $0.day.year == year }
        return found.sorted { ($0.day, $0.name) < ($1.day, $1.name) }
    }
}
