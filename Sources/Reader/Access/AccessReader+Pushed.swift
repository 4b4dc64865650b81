// SPDX-License-Identifier: Apache-2.0

public import AccessProtocol
import Protobuf
import Timekeeping

extension AccessReader {
    /// The configuration in `command` to store; nil if all of it is ignored or in force already. Ignores it if the
    /// command's validity could not be checked.
    ///
    /// - Throws: −34 for a value out of range and for another site or door, −11 for a version that is not later than
    ///   the one in force.
    mutating func accepted(
        _ config: SystemConfig, from command: AuthorizedCommand, _ link: AccessLink, at moment: Moment
    ) throws(StatusCode) -> PushedConfiguration? {
        let pushed = try PushedConfiguration(config)
        guard pushed.isForDoor(of: configuration) else { throw .systemConfiguration }
        let allowed = command.wasValidityChecked ? configuration.pushable : []
        let ignored = pushed.ignored(allowed, configuration, door.configuration)
        if !ignored.isEmpty {
            report(.configurationIgnored(name: pushed.name, ignored, isClockSet: command.wasValidityChecked))
            recordIgnored(ignored, command, link, at: moment)
        }
        guard !allowed.isEmpty, pushed != self.pushed else { return nil }
        guard let version = pushed.version, self.pushed.map({ version > $0.version ?? 0 }) ?? true else {
            throw .version
        }
        return pushed
    }

    private mutating func recordIgnored(
        _ ignored: [PushedSetting], _ command: AuthorizedCommand, _ link: AccessLink, at moment: Moment
    ) {
        guard configuration.isAudited else { return }
        var event = event(.configurationIgnored, link, command.credentialID, command.name, info: 0, at: moment)
        event.info = Int32(ignored.count)
        event.setDetail(ignored.map(\.rawValue).joined(separator: " "))
        record(event)
    }

    /// Applies a configuration.
    ///
    /// - Throws: −34 for another site or door.
    public mutating func adopt(_ pushed: PushedConfiguration) throws(StatusCode) {
        guard pushed.isForDoor(of: configuration) else { throw .systemConfiguration }
        let allowed = configuration.pushable
        let ignored = pushed.ignored(allowed, configuration, door.configuration)
        pushed.apply(allowed, to: &configuration)
        door.apply(pushed, allowed)
        // A configuration that applies only in part does not take the backend's name.
        configuration.configID = ignored.isEmpty ? pushed.configID : BoundedBytes()
        self.pushed = pushed
    }
}

extension PushedConfiguration {
    /// True if it is for this reader's site and door.
    fileprivate func isForDoor(of configuration: AccessConfiguration) -> Bool {
        siteID == configuration.credentials.siteID && doorID == configuration.credentials.doorID
    }

    /// The settings whose value differs from the one in force and that are not `allowed`.
    func ignored(
        _ allowed: Set<PushedSetting>, _ configuration: AccessConfiguration, _ door: DoorConfiguration
    ) -> [PushedSetting] {
        PushedSetting.allCases.filter { setting in
            guard !allowed.contains(setting) else { return false }
            var (changed, changedDoor) = (configuration, door)
            apply([setting], to: &changed)
            apply([setting], to: &changedDoor)
            return changed != configuration || changedDoor != door
        }
    }

    /// Replaces the file's values by the `allowed` ones.
    func apply(_ allowed: Set<PushedSetting>, to configuration: inout AccessConfiguration) {
        for setting in allowed {
            switch setting {
            case .utcOffset: configuration.zone = TimeZoneRule(utcOffsetMinutes: utcOffsetMinutes)
            case .advertisingInterval: configuration.advertisingInterval = advertisingInterval
            case .maximumConnection: configuration.maximumConnection = maximumConnection
            case .groups: configuration.credentials.groups = groups
            case .carriedBlacklist: configuration.credentials.takesCarriedBlacklist = takesCarriedBlacklist
            case .closedDays: if let closedDays { configuration.officeHours.closedDays = closedDays }
            case .pulse, .extended, .holidays: break
            }
        }
    }

    /// Replaces the file's times by the `allowed` ones, from the next opening on.
    func apply(_ allowed: Set<PushedSetting>, to door: inout DoorConfiguration) {
        if let pulse, allowed.contains(.pulse) { door.pulse = pulse }
        if let extended, allowed.contains(.extended) { door.extended = extended }
    }
}
