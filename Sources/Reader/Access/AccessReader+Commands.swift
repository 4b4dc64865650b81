import AccessProtocol
import Protobuf
import Timekeeping

/// What the commands of this version do, and what they answer. Anything else is not supported (−5).
extension AccessReader {
    /// Executes an authorised command and leaves its result in `result`.
    mutating func execute(_ command: AuthorizedCommand, clock: CivilTime?, at now: Instant) -> StatusCode {
        result.removeAll(keepingCapacity: true)
        switch command.name {
        case .open:
            let wasUnlocked = door.isUnlocked
            // The door has the last word: in a lockdown, say, it lets nobody in.
            guard ask(.pulse, at: now) == .done else { return .unavailable }
            tellDoor(wasUnlocked: wasUnlocked)
        case .ping: versionInfo.encodeDelimited(into: &result)
        case .status:
            do {
                try systemStatus(clock: clock).encodeDelimited(into: &result)
            } catch {
                return .encode
            }
        default: return .notSupported
        }
        return .ok
    }

    private var versionInfo: VersionInfo {
        let version = configuration.version
        return VersionInfo(
            buildTime: version.buildTime, version: version.version, testVersion: version.testVersion)
    }

    /// There is no configuration of a backend, no serial number and no log in this version: their fields say so by
    /// being empty or 0.
    private func systemStatus(clock: CivilTime?) throws(ProtobufError) -> SystemStatus {
        let time = clock ?? CivilTime(year: 0, month: 0, day: 0)
        return SystemStatus(
            configId: BoundedBytes(), deviceId: try BoundedBytes(ascii: identity.deviceID),
            serialNumber: try BoundedBytes(ascii: String(repeating: "0", count: 20)), hardwareType: .wallReader,
            batteryLevel: .onPower, applicationVersion: configuration.version.version,
            localTime: LocalTimestamp(time), settings: settings(timeWasSet: clock != nil),
            lock: LockStatus(state: door.isUnlocked ? .unlocked : .locked, openings: openings),
            applicationVersionTest: configuration.version.testVersion)
    }

    private func settings(timeWasSet: Bool) -> SystemSettings {
        SystemSettings(
            blacklistMaxEntriesCount: UInt32(clamping: blacklist.capacity),
            blacklistEntriesCount: UInt32(clamping: blacklist.count), eventLogMaxEntriesCount: 0,
            eventLogEntriesCount: 0,
            eventLogSequenceId: 0, eventLogIndex: 0, systemLogMaxEntriesCount: 0, systemLogEntriesCount: 0,
            systemLogSequenceId: 0, systemLogIndex: 0, timeWasSet: timeWasSet, isBatteryLow: false)
    }
}
