// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// The periods of a schedule on some weekdays.
public struct OSSScheduleDay: Hashable, Sendable {
    /// The weekdays, bit 0 Monday to bit 6 Sunday.
    public var weekdays: UInt8
    /// The periods of those days.
    public var periods: [OSSTimePeriod]

    /// These periods on these weekdays.
    public init(weekdays: UInt8, periods: [OSSTimePeriod]) {
        self.weekdays = weekdays
        self.periods = periods
    }
}

/// The contents of a data file, for issuers. A reader reads the octets in place, with `OSSDataFile`.
public struct OSSDataContents: Hashable, Sendable {
    /// The end of the validity, at second 00 of this minute.
    public var validityEnd: OSSTimestamp
    /// The site, from 1.
    public var siteID: UInt16
    /// The doors that it opens.
    public var doors: [OSSDoorEntry]
    /// The schedules to which `doors` refer by number, from 1; each has up to four days of up to four periods.
    public var schedules: [[OSSScheduleDay]]
    /// True if there is an extension file.
    public var hasExtensions: Bool
    /// The number of day ids in each schedule, 1 to 4. Published for phones: 4.
    public var daysPerSchedule = 4
    /// The number of periods in each day id, 1 to 4. Published for phones: 4.
    public var periodsPerDay = 4

    /// The given contents, with the dimensions that are published for phones.
    public init(
        validityEnd: OSSTimestamp, siteID: UInt16, doors: [OSSDoorEntry], schedules: [[OSSScheduleDay]] = [],
        hasExtensions: Bool = false
    ) {
        (self.validityEnd, self.siteID, self.doors) = (validityEnd, siteID, doors)
        (self.schedules, self.hasExtensions) = (schedules, hasExtensions)
    }

    /// Appends the file.
    ///
    /// - Throws: −235 for site 0, −237 for a door that refers to a missing schedule, −238 for more periods or days
    ///   than the dimensions allow (or invalid dimensions), −239 for more than 15 schedules, −7 for more than 255
    ///   doors.
    public func append(to octets: inout [UInt8]) throws(StatusCode) {
        guard siteID != 0 else { throw .standardOfflineSite }
        guard doors.count <= 255 else { throw .overflow }
        guard schedules.count <= 15 else { throw .standardOfflineScheduleNumber }
        guard doors.allSatisfy({ Int($0.schedule) <= schedules.count }) else { throw .standardOfflineDoorSchedule }
        guard 1...4 ~= daysPerSchedule, 1...4 ~= periodsPerDay,
            schedules.allSatisfy({ $0.count <= daysPerSchedule }),
            schedules.allSatisfy({ $0.allSatisfy { $0.periods.count <= periodsPerDay } })
        else { throw .standardOfflinePeriodCount }
        validityEnd.append(to: &octets)
        octets.append(bigEndian: siteID)
        octets += [0, UInt8(schedules.count << 4 | (daysPerSchedule - 1) << 2 | (periodsPerDay - 1))]
        octets += [UInt8(doors.count), hasExtensions ? 1 : 0, 0, 0, 0, 0]
        for door in doors { door.append(to: &octets) }
        for schedule in schedules {
            for number in 0..<daysPerSchedule { append(schedule.dropFirst(number).first, to: &octets) }
        }
    }

    private func append(_ day: OSSScheduleDay?, to octets: inout [UInt8]) {
        octets.append(day?.weekdays ?? 0)
        for period in day?.periods ?? [] { period.append(to: &octets) }
        let unused = periodsPerDay - (day?.periods.count ?? 0)
        octets += [UInt8](repeating: 0, count: unused * OSSTimePeriod.octetCount)
    }
}

extension OSSDataContents {
    /// Reads a file from all of `bytes`, for display. Days without a weekday and a period are left out.
    ///
    /// - Throws: as `OSSDataFile` does.
    public init(decoding bytes: Span<UInt8>) throws(StatusCode) {
        let file = try OSSDataFile(header: bytes)
        try file.check(bytes)
        var entries: [OSSDoorEntry] = []
        while let door = try file.door(entries.count, bytes) { entries.append(door) }
        self.init(
            validityEnd: file.validityEnd, siteID: file.siteID, doors: entries, hasExtensions: file.hasExtensions)
        (daysPerSchedule, periodsPerDay) = (file.daysPerSchedule, file.periodsPerDay)
        for schedule in 0..<file.scheduleCount {
            var days: [OSSScheduleDay] = []
            for number in 0..<daysPerSchedule {
                var day = OSSScheduleDay(weekdays: 0, periods: [])
                day.weekdays =
                    try file.latestEnd(day: schedule * daysPerSchedule + number, bytes) {
                        day.periods.append($0)
                        return true
                    }
                    .weekdays
                if day.weekdays != 0 || !day.periods.isEmpty { days.append(day) }
            }
            schedules.append(days)
        }
    }
}
