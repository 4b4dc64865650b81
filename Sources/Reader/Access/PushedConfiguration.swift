public import AccessProtocol
import Protobuf
import Timekeeping

/// A configuration that a backend has pushed by `UPDATE`: checked as a whole, and of it what this reader has a setting
/// for (docs/configuration.md lists every field). It comes before the configuration file's.
public struct PushedConfiguration: Equatable, Sendable {
    /// The setting that keeps it, as the message's octets.
    public static let setting = "pushed-configuration"

    /// The backend's name for it.
    let configID: BoundedBytes<36>
    let utcOffsetMinutes: Int
    let advertisingInterval: Duration
    let maximumConnection: Duration
    let siteID: UInt16
    let doorID: UInt16
    let groups: [DoorGroup]
    let takesCarriedBlacklist: Bool
    let pulse: Duration?
    let extended: Duration?

    /// The configuration, with the ranges of the file's keys; throws −34 if any of its values is out of range.
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
    }

    /// The configuration as it was kept; throws −32 for octets that are none, −34 for values that are out of range.
    public init(kept octets: [UInt8]) throws(StatusCode) {
        guard let config = try? SystemConfig(decoding: octets.span) else { throw .decode }
        try self.init(config)
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

    /// Puts the values in the place of the file's.
    func apply(to configuration: inout AccessConfiguration) {
        configuration.zone = TimeZoneRule(utcOffsetMinutes: utcOffsetMinutes)
        configuration.advertisingInterval = advertisingInterval
        configuration.maximumConnection = maximumConnection
        configuration.credentials.siteID = siteID
        configuration.credentials.doorID = doorID
        configuration.credentials.groups = groups
        configuration.credentials.takesCarriedBlacklist = takesCarriedBlacklist
        configuration.configID = configID
    }

    /// Puts the times in the place of the file's; from the next opening on.
    func apply(to door: inout DoorConfiguration) {
        if let pulse { door.pulse = pulse }
        if let extended { door.extended = extended }
    }
}

extension AccessReader {
    /// Takes a configuration over, for everything from now on.
    public mutating func adopt(_ pushed: PushedConfiguration) {
        pushed.apply(to: &configuration)
        pushed.apply(to: &door.configuration)
    }
}
