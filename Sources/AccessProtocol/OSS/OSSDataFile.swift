internal import Octets

/// One door or group of doors that a credential opens: three octets (access protocol, 7).
public struct OSSDoorEntry: Hashable, Sendable {
    /// How many octets one has.
    public static let octetCount = 3

    /// The number of the door, or of the group. Door 0 ends the list, group 0 is the master group.
    public var id: UInt16
    /// Whether `id` is a door's; else it is a group's.
    public var isDoor: Bool
    /// The schedule to keep to, from 1; 0 is always.
    public var schedule: UInt8
    /// Whether the door stays open until the next time.
    public var toggles: Bool
    /// Whether the door opens for the extended time.
    public var isExtended: Bool

    /// An entry; `schedule` is cut to the four bits that it has.
    public init(id: UInt16, isDoor: Bool = true, schedule: UInt8 = 0, toggles: Bool = false, isExtended: Bool = false) {
        (self.id, self.isDoor, self.schedule) = (id, isDoor, schedule & 0x0F)
        (self.toggles, self.isExtended) = (toggles, isExtended)
    }

    /// Whether nothing behind it belongs to the list: door 0.
    public var endsList: Bool { id == 0 && isDoor }

    /// Whether it is for every door of the site: group 0, the master group.
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

/// The data file of an OSS Standard Offline credential: its header of 16 octets, and where the rest is.
///
/// Doors and schedules stay in the octets; they are read from there, which each call is handed. Reserved octets and
/// bits (8, 12 to 15, and all but the lowest bit of 11) are not looked at.
public struct OSSDataFile: Hashable, Sendable {
    /// How many octets the header has.
    public static let headerCount = 16

    /// The minute with whose second 00 the credential ends; unset counts as past.
    public let validityEnd: OSSTimestamp
    /// The site, never 0.
    public let siteID: UInt16
    /// How many schedules there are, 0 to 15.
    public let scheduleCount: Int
    /// How many day ids each schedule has, 1 to 4.
    public let daysPerSchedule: Int
    /// How many periods each day id has room for, 1 to 4.
    public let periodsPerDay: Int
    /// How many door entries there are room for.
    public let doorCount: Int
    /// Whether there is an extension file.
    public let hasExtensions: Bool

    /// Reads the header. Throws −233 for the end, −235 for site 0, −6 for a header that is cut.
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

    /// How many octets a day id has: its weekdays, and its periods.
    private var dayCount: Int { 1 + periodsPerDay * OSSTimePeriod.octetCount }
    private var schedulesStart: Int { OSSDataFile.headerCount + doorCount * OSSDoorEntry.octetCount }

    /// How many octets the file has as its header has it, at most 16 + 765 + 1020.
    public var octetCount: Int { schedulesStart + scheduleCount * daysPerSchedule * dayCount }

    /// Reads everything behind the header. Throws −237 for a door whose schedule is not there, −234 for a period that
    /// is none, −6 for a file that is cut, −32 for octets too many. What follows door 0 in its list, and an
    /// all-zero period in its day, is not looked at.
    public func check(_ bytes: Span<UInt8>) throws(StatusCode) {
        guard bytes.count >= octetCount else { throw .endOfFile }
        var index = 0
        while try door(index, bytes) != nil { index += 1 }
        for day in 0..<scheduleCount * daysPerSchedule { _ = try latestEnd(day: day, bytes) { _ in true } }
        try OSSFileReader(bytes, at: octetCount).finish(bytes)
    }

    /// The door entry of this index, from 0; nil after the last. Throws −237 if its schedule is not there.
    public func door(_ index: Int, _ bytes: Span<UInt8>) throws(StatusCode) -> OSSDoorEntry? {
        guard 0..<doorCount ~= index else { return nil }
        var reader = OSSFileReader(bytes, at: OSSDataFile.headerCount + index * OSSDoorEntry.octetCount)
        let entry = try OSSDoorEntry(&reader, bytes)
        guard !entry.endsList else { return nil }
        guard Int(entry.schedule) <= scheduleCount else { throw .standardOfflineDoorSchedule }
        return entry
    }

    /// The weekdays of a day id, bit 0 Monday, and the latest end among those of its periods that are `wanted`.
    private func latestEnd(
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

    /// The latest end, in minutes of the day, among the schedule's periods on this weekday (0 Monday) that are
    /// `wanted`. Throws −239 for a schedule that is not there (they count from 1), and as `check` does.
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
