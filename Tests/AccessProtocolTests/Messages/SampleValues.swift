// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

// The messages that stand in samples more than once, or within those of others: every field is set.

extension LocalTimestamp {
    static let sample = LocalTimestamp(year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6)
}

extension LocalTimeperiod {
    static let sample = LocalTimeperiod(hoursFrom: 300, minutesFrom: 140000, hoursTo: 3, minutesTo: 1200)
}

extension LocalTimeSchedule {
    static let sample = LocalTimeSchedule(
        dayOfYearStart: 300, dayOfYearEnd: 140000, weekdays: [true, false, true], timePeriod: .sample)
}

extension CredentialId {
    static var sample: CredentialId { get throws { try CredentialId(id: BoundedBytes(ascii: "Id")) } }
}

extension BlacklistEntry {
    static var sample: BlacklistEntry { get throws { try BlacklistEntry(credentialId: .sample, expiresAt: .sample) } }
}

extension Event {
    static var sample: Event {
        get throws {
            try Event(
                sequenceId: 300, eventTime: .sample, eventId: EventId(rawValue: 4), eventInfo: -240,
                credentialId: .sample, command: BoundedBytes(ascii: "Command"))
        }
    }
}

extension SystemLogEntry {
    static var sample: SystemLogEntry {
        get throws {
            try SystemLogEntry(
                sequenceId: 300, time: .sample, severity: LogSeverity(rawValue: 4), line: 1200,
                file: BoundedBytes(ascii: "File"), message: BoundedBytes(ascii: "Message"))
        }
    }
}

extension OssAccessResult {
    static let sample = OssAccessResult(
        accessGranted: true, accessType: AccessType(rawValue: 3), accessInfo: 3, scheduleEndTime: .sample,
        scheduleMissmatch: true)
}

extension SessionTokenCommand {
    static var sample: SessionTokenCommand {
        get throws {
            try SessionTokenCommand(
                credentialId: .sample, validityStart: .sample, validityEnd: .sample,
                command: BoundedBytes(ascii: "Command"), data: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]))
        }
    }
}

extension LockStatus {
    static let sample = LockStatus(state: LockState(rawValue: 2), openings: 140000)
}

extension SystemSettings {
    static let sample = SystemSettings(
        blacklistMaxEntriesCount: 300, blacklistEntriesCount: 140000, eventLogMaxEntriesCount: 3,
        eventLogEntriesCount: 1200, eventLogSequenceId: 350000, eventLogIndex: 6, systemLogMaxEntriesCount: 2100,
        systemLogEntriesCount: 560000, systemLogSequenceId: 9, systemLogIndex: 3000, timeWasSet: true,
        isBatteryLow: false)
}

extension AccessConfigGroup {
    static let sample = AccessConfigGroup(groupId: 300, schedules: [.sample])
}

extension BaseConfig {
    static var sample: BaseConfig {
        get throws {
            try BaseConfig(
                isoCountry: BoundedBytes(ascii: "IsoC"), isoState: BoundedBytes(ascii: "IsoState"),
                utcOffsetMinutes: -180, autoCheckSystemStatus: false)
        }
    }
}

extension OssConfig {
    static var sample: OssConfig {
        get throws {
            try OssConfig(
                sidMifareAesKey: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]), sidMifareAid: 140000,
                soUpdater: true, soPushEvents: false, soWritePendingEvents: true, soUpdateFromBlacklist: false,
                soMifareAesKey: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]), soMifareAid: 560000)
        }
    }
}

extension SystemConfig {
    static var sample: SystemConfig {
        get throws {
            try SystemConfig(
                configId: BoundedBytes(ascii: "ConfigId"), base: .sample,
                ble: BleConfig(
                    isAdvertising: true, advertisingSchedules: [.sample],
                    maxPowerAdvertisingSchedulesIndices: [3, 1200, 350000], advertisingIntervalMs: 1200,
                    maxConnectionTimeoutMs: 350000, txPowerLevel: 6, advertisedTxPower1Meter: -420,
                    isIBeaconAdvertisement: false),
                online: OnlineConfig(
                    connectSchedules: [.sample], wifiSSID: BoundedBytes(ascii: "WifiSSID"),
                    wifiPassword: BoundedBytes(ascii: "WifiPassword"), timeoutSec: 1200),
                access: AccessConfig(id: 300, siteId: 140000, groups: [.sample]), oss: .sample,
                lock: LockConfig(
                    openSchedules: [.sample], openScheduleByUser: false, closedDays: [1400000, 21, 6600],
                    defaultOpenTimeSec: 21, extendedOpenTimeSec: 6600))
        }
    }
}
