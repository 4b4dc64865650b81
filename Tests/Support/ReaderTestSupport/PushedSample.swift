// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

/// A configuration that comes with `UPDATE` (access protocol, 8.3 and 9).
enum PushedSample {
    /// For door 7 of site 3, with a group that may on working days.
    static func config() throws -> SystemConfig {
        let schedule = LocalTimeSchedule(
            dayOfYearStart: 1, dayOfYearEnd: 366, weekdays: [true, true, true, true, true, false, false],
            timePeriod: LocalTimeperiod(hoursFrom: 8, minutesFrom: 0, hoursTo: 18, minutesTo: 0))
        return SystemConfig(
            configId: try BoundedBytes(ascii: "config-7"),
            base: BaseConfig(
                isoCountry: BoundedBytes(), isoState: BoundedBytes(), utcOffsetMinutes: 60,
                autoCheckSystemStatus: false),
            ble: BleConfig(
                isAdvertising: true, advertisingSchedules: [], maxPowerAdvertisingSchedulesIndices: [],
                advertisingIntervalMs: 500, maxConnectionTimeoutMs: 4000, txPowerLevel: 3,
                advertisedTxPower1Meter: -77, isIBeaconAdvertisement: false),
            online: OnlineConfig(
                connectSchedules: [], wifiSSID: BoundedBytes(), wifiPassword: BoundedBytes(), timeoutSec: 30),
            access: AccessConfig(id: 7, siteId: 3, groups: [AccessConfigGroup(groupId: 12, schedules: [schedule])]),
            oss: OssConfig(
                sidMifareAesKey: BoundedBytes(), sidMifareAid: 0, soUpdater: false, soPushEvents: false,
                soWritePendingEvents: true, soUpdateFromBlacklist: false, soMifareAesKey: BoundedBytes(),
                soMifareAid: 0),
            lock: LockConfig(
                openSchedules: [], openScheduleByUser: false, closedDays: [60, 61, 366], defaultOpenTimeSec: 9,
                extendedOpenTimeSec: 60))
    }
}
