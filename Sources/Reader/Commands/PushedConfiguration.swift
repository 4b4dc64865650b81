// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Octets
import Protobuf
package import Timekeeping

/// A configuration pushed by a backend with `UPDATE`: checked as a whole, and reduced to the settings of this reader
/// (docs/operate/configuration.md lists every field). A phone carries it, without a signature. It must be for this
/// reader's site and door, its version only increases, and only the values named in `reader.phones-may-set` apply; they
/// override the file's.
public struct PushedConfiguration: Equatable, Sendable {
    /// The name of the setting that keeps it as the message's octets.
    public static let setting = "pushed-configuration"

    /// The backend's name of the configuration.
    let configID: BoundedBytes<36>
    package let utcOffsetMinutes: Int
    package let advertisingInterval: Duration
    package let maximumConnection: Duration
    let siteID: UInt16
    let doorID: UInt16
    package let groups: [DoorGroup]
    package let takesCarriedBlacklist: Bool
    package let pulse: Duration?
    package let extended: Duration?
    /// The days on which the office hours do not begin; nil for a device without a lock.
    package let closedDays: Holidays?

    /// Creates the configuration, with the ranges of the file's keys.
    ///
    /// - Throws: −34 if any value is out of range.
    public init(_ config: SystemConfig) throws(StatusCode) {
        guard (-840...840).contains(config.base.utcOffsetMinutes),
            (20...10_240).contains(config.ble.advertisingIntervalMs),
            (500...60_000).contains(config.ble.maxConnectionTimeoutMs),
            let siteID = UInt16(exactly: config.access.siteId), siteID > 0,
            let doorID = UInt16(exactly: config.access.id), doorID > 0,
            config.lock.map({ (1...300).contains($0.defaultOpenTimeSec) }) ?? true,
            config.lock.map({ (1...86_400).contains($0.extendedOpenTimeSec) }) ?? true
        else { throw .systemConfiguration }
        configID = config.configId
        utcOffsetMinutes = Int(config.base.utcOffsetMinutes)
        advertisingInterval = .milliseconds(config.ble.advertisingIntervalMs)
        maximumConnection = .milliseconds(config.ble.maxConnectionTimeoutMs)
        (self.siteID, self.doorID) = (siteID, doorID)
        groups = try PushedConfiguration.groups(config.access)
        takesCarriedBlacklist = config.oss.soUpdateFromBlacklist
        pulse = config.lock.map { .seconds($0.defaultOpenTimeSec) }
        extended = config.lock.map { .seconds($0.extendedOpenTimeSec) }
        closedDays = try config.lock.map { (lock) throws(StatusCode) in
            try PushedConfiguration.closedDays(lock.closedDays)
        }
    }

    /// Decodes the configuration that was kept.
    ///
    /// - Throws: −32 for octets that cannot be decoded, −34 for a value out of range.
    public init(kept octets: [UInt8]) throws(StatusCode) {
        guard let config = try? SystemConfig(decoding: octets.span) else { throw .decode }
        try self.init(config)
    }

    /// The days of every year with these numbers (`CivilTime.scheduleDay`).
    private static func closedDays(_ numbers: [UInt32]) throws(StatusCode) -> Holidays {
        var days = Holidays()
        for number in numbers {
            guard (1...366).contains(number) else { throw .systemConfiguration }
            // Days are numbered as in a leap year.
            let date = CivilTime(year: 2000, month: 1, day: 1).dayBeginning(plusMinutes: 0, days: Int(number) - 1)
            guard let rule = HolidayRule(.date(month: date.month, day: date.day)) else { throw .systemConfiguration }
            let day = Holiday("\(date.month.padded(to: 2))-\(date.day.padded(to: 2))", rule)
            if !days.list.contains(day) { days.list.append(day) }
        }
        return days
    }

    private static func groups(_ access: AccessConfig) throws(StatusCode) -> [DoorGroup] {
        var groups: [DoorGroup] = []
        for pushed in access.groups {
            guard let id = UInt16(exactly: pushed.groupId), id > 0, !groups.contains(where: { $0.id == id }) else {
                throw .systemConfiguration
            }
            var group = DoorGroup(id: id)
            for schedule in pushed.schedules {
                guard (1...366).contains(schedule.dayOfYearStart), (1...366).contains(schedule.dayOfYearEnd),
                    let own = try? DoorGroup.Schedule(schedule)
                else { throw .systemConfiguration }
                group.schedules.append(own)
            }
            groups.append(group)
        }
        return groups
    }

    /// The version: the number at the end of `configId`; nil if it does not end in a number.
    var version: UInt64? {
        guard let text = configID.ascii else { return nil }
        let digits = text.reversed().prefix { $0.isASCII && $0.isNumber }
        return UInt64(String(digits.reversed()))
    }

    /// The backend's name of the configuration; empty if it is not ASCII.
    public var name: String { configID.ascii ?? "" }
}

/// A setting that a backend may push through a phone if `reader.phones-may-set` names it, or set by a desired state if
/// `link.may-set` does. The raw value is its key in the configuration file.
public enum PushedSetting: String, CaseIterable, Sendable {
    /// `base.utcOffsetMinutes`: shifts every validity and schedule.
    case utcOffset = "reader.utc-offset-minutes"
    /// `ble.advertisingIntervalMs`
    case advertisingInterval = "advertising.interval-ms"
    /// `ble.maxConnectionTimeoutMs`
    case maximumConnection = "links.max-connection-ms"
    /// `access.groups`: the groups whose credentials open the door.
    case groups = "credentials.groups"
    /// `oss.soUpdateFromBlacklist`
    case carriedBlacklist = "credentials.carried-blacklist"
    /// `lock.defaultOpenTimeSec`
    case pulse = "door.pulse-s"
    /// `lock.extendedOpenTimeSec`
    case extended = "door.extended-s"
    /// `lock.closedDays`
    case closedDays = "door.closed-days"
    /// Only of a desired state: the published configuration has no list of holidays.
    case holidays = "reader.holidays"

    /// True if a configuration pushed by phones has it.
    public var isCarriedByPhones: Bool { self != .holidays }
}
