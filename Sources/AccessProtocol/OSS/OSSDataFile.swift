// SPDX-License-Identifier: Apache-2.0

internal import Octets

/// A door or group of doors that a credential opens: three octets (access protocol, 7).
public struct OSSDoorEntry: Hashable, Sendable {
    /// The length of an entry in octets.
    public static let octetCount = 3

    /// The number of the door or the group. Door 0 ends the list, group 0 is the master group.
    public var id: UInt16
    /// True if `id` is the number of a door, false for a group.
    public var isDoor: Bool
    /// The number of the schedule that applies, from 1; 0 is always.
    public var schedule: UInt8
    /// True if the door stays open until the next access.
    public var toggles: Bool
    /// True if the door opens for the extended time.
    public var isExtended: Bool

    /// An entry; `schedule` is cut to its four bits.
    public init(id: UInt16, isDoor: Bool = true, schedule: UInt8 = 0, toggles: Bool = false, isExtended: Bool = false) {
        (self.id, self.isDoor, self.schedule) = (id, isDoor, schedule & 0x0F)
        (self.toggles, self.isExtended) = (toggles, isExtended)
    }

    /// True if the entry ends the list: door 0.
    public var endsList: Bool { id == 0 && isDoor }

    /// True if the entry covers every door of the site: group 0, the master group.
    public var isMaster: Bool { id == 0 && !isDoor }

    init(_ reader: inout OSSFileReader, _ bytes: Span<UInt8>) throws(StatusCode) {
        let id = try reader.u16(bytes)
        let flags = try reader.u8(bytes)
        self.init(
            id: id, isDoor: flags & 0x08 != 0, schedule: flags >> 4, toggles: flags & 0x04 != 0,
            isExtended: flags & 0x02 != 0)
    }

    func append(to octets: inout [UInt8]) {
        octets.append(bigEndian: id)
        octets.append(schedule << 4 | (isDoor ? 0x08 : 0) | (toggles ? 0x04 : 0) | (isExtended ? 0x02 : 0))
    }
}

/// The data file of an OSS Standard Offline credential: its header of 16 octets, and access to the rest.
///
/// Doors and schedules remain in the octets, which are passed to each call. Reserved octets and bits (8, 12 to 15,
/// and all but the lowest bit of 11) are ignored.
public struct OSSDataFile: Hashable, Sendable {
    /// The length of the header in octets.
    public static let headerCount = 16

    /// The end of the validity, at second 00 of this minute; unset counts as past.
    public let validityEnd: OSSTimestamp
    /// The site, never 0.
    public let siteID: UInt16
    /// The number of schedules, 0 to 15.
    public let scheduleCount: Int
    /// The number of day ids in each schedule, 1 to 4.
    public let daysPerSchedule: Int
    /// The number of periods in each day id, 1 to 4.
    public let periodsPerDay: Int
    /// The number of door entries.
    public let doorCount: Int
    /// True if there is an extension file.
    public let hasExtensions: Bool

    /// Reads the header.
    ///
    /// - Throws: −233 for the end of the validity, −235 for site 0, −6 for a truncated header.
    public init(header bytes: Span<UInt8>) throws(StatusCode) {
        var reader = OSSFileReader(bytes)
        validityEnd = try OSSTimestamp(&reader, bytes)
        siteID = try reader.u16(bytes)
        _ = try reader.u8(bytes)
        let shape = try reader.u8(bytes)
        scheduleCount = Int(shape >> 4)
        daysPerSchedule = Int(shape >> 2 & 0x03) + 1
        periodsPerDay = Int(shape & 0x03) + 1
        doorCount = Int(try reader.u8(bytes))
        hasExtensions = try reader.u8(bytes) & 0x01 != 0
        _ = try reader.u32(bytes)
        guard siteID != 0 else { throw .standardOfflineSite }
    }

    /// The length of a day id in octets: its weekdays and its periods.
    private var dayCount: Int { 1 + periodsPerDay * OSSTimePeriod.octetCount }
    private var schedulesStart: Int { OSSDataFile.headerCount + doorCount * OSSDoorEntry.octetCount }

    /// The length of the file according to its header, at most 16 + 765 + 1020 octets.
    public var octetCount: Int { schedulesStart + scheduleCount * daysPerSchedule * dayCount }

    /// Reads and verifies everything after the header. Door 0 and the entries behind it match nothing, but are
    /// verified like all others. Periods after an all-zero one in a day are ignored.
    ///
    /// - Throws: −237 for a door that refers to a missing schedule, −234 for an invalid period, −6 for a truncated
    ///   file, −32 for surplus octets.
    public func check(_ bytes: Span<UInt8>) throws(StatusCode) {
        guard bytes.count >= octetCount else { throw .endOfFile }
        for index in 0..<doorCount { _ = try entry(index, bytes) }
        for day in 0..<scheduleCount * daysPerSchedule { _ = try latestEnd(day: day, bytes) { _ in true } }
        try OSSFileReader(bytes, at: octetCount).finish(bytes)
    }

    /// The door entry at this index, from 0; nil after the last, which door 0 ends.
    ///
    /// - Throws: −237 if its schedule is missing.
    public func door(_ index: Int, _ bytes: Span<UInt8>) throws(StatusCode) -> OSSDoorEntry? {
        guard 0..<doorCount ~= index else { return nil }
        let entry = try entry(index, bytes)
        return entry.endsList ? nil : entry
    }

    /// The entry at this index, also at or behind door 0.
    private func entry(_ index: Int, _ bytes: Span<UInt8>) throws(StatusCode) -> OSSDoorEntry {
        var reader = OSSFileReader(bytes, at: OSSDataFile.headerCount + index * OSSDoorEntry.octetCount)
        let entry = try OSSDoorEntry(&reader, bytes)
        guard Int(entry.schedule) <= scheduleCount else { throw .standardOfflineDoorSchedule }
        return entry
    }

    /// The weekdays of a day id, bit 0 Monday, and the latest end among its `wanted` periods.
    func latestEnd(
        day index: Int, _ bytes: Span<UInt8>, _ wanted: (OSSTimePeriod) -> Bool
    ) throws(StatusCode) -> (weekdays: UInt8, end: UInt16?) {
        var reader = OSSFileReader(bytes, at: schedulesStart + index * dayCount)
        let weekdays = try reader.u8(bytes)
        var latest: UInt16?
        for _ in 0..<periodsPerDay {
            guard let period = try OSSTimePeriod.read(&reader, bytes) else { break }
            if wanted(period) { latest = max(latest ?? 0, period.to) }
        }
        return (weekdays, latest)
    }

    /// The latest end, in minutes of the day, among the `wanted` periods of the schedule on this weekday (0 Monday).
    ///
    /// - Throws: −239 for a missing schedule (numbers start at 1), and as `check` does.
    public func latestEnd(
        schedule: Int, weekday: Int, _ bytes: Span<UInt8>, wanted: (OSSTimePeriod) -> Bool
    ) throws(StatusCode) -> UInt16? {
        guard 1...15 ~= schedule, schedule <= scheduleCount else { throw .standardOfflineScheduleNumber }
        var latest: UInt16?
        for number in 0..<daysPerSchedule {
            let day = try latestEnd(day: (schedule - 1) * daysPerSchedule + number, bytes, wanted)
            guard day.weekdays >> UInt8(weekday) & 1 == 1, let end = day.end else { continue }
            latest = max(latest ?? 0, end)
        }
        return latest
    }
}
