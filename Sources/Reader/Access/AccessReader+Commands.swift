// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf
import Timekeeping

/// The execution of commands and their answers. Other commands are not supported (−5).
extension AccessReader {
    /// Executes an authorised command and leaves its result in `result`. `since` is the time of arrival of a command
    /// that waited for its record.
    mutating func execute(
        _ command: AuthorizedCommand, since: Instant? = nil, at moment: Moment
    ) -> StatusCode {
        result.removeAll(keepingCapacity: true)
        if let request = request(of: command.name) {
            return move(request, of: command.credentialID, since: since, at: moment.instant)
        }
        switch command.name.equivalent {
        case .maintenance: break
        case .bootLoader: return requestUpdate(command)
        case .getConfiguration: return appendConfiguration()
        case .classicVersions: return appendVersions()
        case .ping: versionInfo.encodeDelimited(into: &result)
        case .battery: manufacturerInfo(at: moment).encodeDelimited(into: &result)
        case .getTime:
            guard let epoch = moment.epochSeconds else { return .currentTime }
            SystemTimeUnix(epoch: UInt32(clamping: epoch)).encodeDelimited(into: &result)
        case .status, .update:
            do {
                try systemStatus(clock: clock(at: moment)).encodeDelimited(into: &result)
            } catch {
                return .encode
            }
        default: return .notSupported
        }
        return .ok
    }

    /// Moves the door, or has the panel decide; −21 if that is refused, as in a lockdown.
    private mutating func move(
        _ request: DoorRequest, of credential: String, since: Instant?, at now: Instant
    ) -> StatusCode {
        guard carryOut(request, of: ShownCredential(credential), since: since, at: now) == .done else {
            return .unavailable
        }
        door.reportEvents(configuration, into: &effects)
        return .ok
    }

    /// The command's request to the door; nil for a command that does not move it.
    func request(of command: CommandName) -> DoorRequest? {
        switch command.equivalent {
        case .open: .pulse
        case .officeOn: .officeOn
        case .officeOff: .officeOff
        case .officeToggle: door.isUnlocked ? .officeOff : .officeOn
        default: nil
        }
    }

    private func manufacturerInfo(at moment: Moment) -> BleManufacturerInfo {
        BleManufacturerInfo(
            hardwareType: .wallReader, batteryLevel: .onPower, applicationVersion: configuration.version.version,
            localMidnightTimeEpoch: configuration.localMidnight(moment), isFactory: identity.isDemo)
    }

    private var versionInfo: VersionInfo {
        let version = configuration.version
        return VersionInfo(
            buildTime: version.buildTime, version: version.version, testVersion: version.testVersion)
    }

    /// The meaning of the logs' indices is not published; here an index is the place of the next entry in a ring.
    private func systemStatus(clock: CivilTime?) throws(ProtobufError) -> SystemStatus {
        let time = clock ?? CivilTime(year: 0, month: 0, day: 0)
        return SystemStatus(
            configId: configuration.configID, deviceId: try BoundedBytes(ascii: identity.deviceID),
            serialNumber: try BoundedBytes(ascii: identity.serialNumber), hardwareType: .wallReader,
            batteryLevel: .onPower, applicationVersion: configuration.version.version,
            localTime: LocalTimestamp(time), settings: settings(timeWasSet: clock != nil),
            lock: LockStatus(state: door.isUnlocked ? .unlocked : .locked, openings: door.openings),
            applicationVersionTest: configuration.version.testVersion)
    }

    private func settings(timeWasSet: Bool) -> SystemSettings {
        SystemSettings(
            blacklistMaxEntriesCount: UInt32(clamping: policy.blacklist.capacity),
            blacklistEntriesCount: UInt32(clamping: policy.blacklist.count),
            eventLogMaxEntriesCount: logCounters.eventLimit,
            eventLogEntriesCount: logCounters.events,
            eventLogSequenceId: UInt32(truncatingIfNeeded: logCounters.lastEvent),
            eventLogIndex: LogCounters.index(logCounters.lastEvent, logCounters.eventLimit),
            systemLogMaxEntriesCount: logCounters.lineLimit, systemLogEntriesCount: logCounters.lines,
            systemLogSequenceId: UInt32(truncatingIfNeeded: logCounters.lastLine),
            systemLogIndex: LogCounters.index(logCounters.lastLine, logCounters.lineLimit), timeWasSet: timeWasSet,
            isBatteryLow: false)
    }
}
