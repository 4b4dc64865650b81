// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

// One message of each kind with every field set, and its octets as Python's protobuf 7.36 writes them from the schema.
// Repeated numbers are unpacked there, as here.

extension MessageSample {
    static func configuration() throws -> [MessageSample] {
        [
            MessageSample(
                try SystemConfig.sample,
                required: [1, 2, 3, 4, 5, 6],
                """
                0a08436f6e6669674964121d0a0449736f43120849736f537461746518ccfeffffffffffffff0120001a3e0801121b08
                ac0210e0c508180118001801220c08ac0210e0c508180320b009180318b00918b0ae1520b00928b0ae15300638dcfcff
                ffffffffffff01400022380a1b08ac0210e0c508180118001801220c08ac0210e0c508180320b0091208576966695353
                49441a0c5769666950617373776f726420b0092a2908ac0210e0c5081a2008ac02121b08ac0210e0c508180118001801
                220c08ac0210e0c508180320b00932200a06f0f1f2f3f4f510e0c50818012000280130003a06f0f1f2f3f4f540809722
                3a320a1b08ac0210e0c508180118001801220c08ac0210e0c508180320b0091000a001c0b955a00115a001c833a80115
                b001c833
                """),
            MessageSample(
                try BaseConfig.sample,
                required: [1, 2, 3, 4],
                "0a0449736f43120849736f537461746518ccfeffffffffffffff012000"),
            MessageSample(
                BleConfig(
                    isAdvertising: true,
                    advertisingSchedules: [.sample, .sample], maxPowerAdvertisingSchedulesIndices: [3, 1200, 350000],
                    advertisingIntervalMs: 1200,
                    maxConnectionTimeoutMs: 350000, txPowerLevel: 6, advertisedTxPower1Meter: -420,
                    isIBeaconAdvertisement: false),
                required: [1, 4, 5, 6, 7, 8],
                """
                0801121b08ac0210e0c508180118001801220c08ac0210e0c508180320b009121b08ac0210e0c508180118001801220c
                08ac0210e0c508180320b009180318b00918b0ae1520b00928b0ae15300638dcfcffffffffffffff014000
                """),
            MessageSample(
                try OnlineConfig(
                    connectSchedules: [.sample, .sample], wifiSSID: BoundedBytes(ascii: "WifiSSID"),
                    wifiPassword: BoundedBytes(ascii: "WifiPassword"),
                    timeoutSec: 1200),
                required: [2, 3, 4],
                """
                0a1b08ac0210e0c508180118001801220c08ac0210e0c508180320b0090a1b08ac0210e0c508180118001801220c08ac
                0210e0c508180320b009120857696669535349441a0c5769666950617373776f726420b009
                """),
        ]
    }

    static func door() throws -> [MessageSample] {
        [
            MessageSample(
                AccessConfig(
                    id: 300, siteId: 140000,
                    groups: [.sample, .sample]),
                required: [1, 2],
                """
                08ac0210e0c5081a2008ac02121b08ac0210e0c508180118001801220c08ac0210e0c508180320b0091a2008ac02121b
                08ac0210e0c508180118001801220c08ac0210e0c508180320b009
                """),
            MessageSample(
                AccessConfigGroup(
                    groupId: 300,
                    schedules: [.sample, .sample]),
                required: [1],
                """
                08ac02121b08ac0210e0c508180118001801220c08ac0210e0c508180320b009121b08ac0210e0c50818011800180122
                0c08ac0210e0c508180320b009
                """),
            MessageSample(
                try OssConfig.sample,
                required: [1, 2, 3, 4, 5, 6, 7, 8],
                "0a06f0f1f2f3f4f510e0c50818012000280130003a06f0f1f2f3f4f540809722"),
            MessageSample(
                LockConfig(
                    openSchedules: [.sample, .sample], openScheduleByUser: false, closedDays: [1400000, 21, 6600],
                    defaultOpenTimeSec: 21,
                    extendedOpenTimeSec: 6600),
                required: [2, 21, 22],
                """
                0a1b08ac0210e0c508180118001801220c08ac0210e0c508180320b0090a1b08ac0210e0c508180118001801220c08ac
                0210e0c508180320b0091000a001c0b955a00115a001c833a80115b001c833
                """),
        ]
    }

    static func maintenance() throws -> [MessageSample] {
        [
            MessageSample(
                try SystemUpdate(
                    config: .sample, timeUnix: SystemTimeUnix(epoch: 300)),
                required: [],
                """
                0aa4020a08436f6e6669674964121d0a0449736f43120849736f537461746518ccfeffffffffffffff0120001a3e0801
                121b08ac0210e0c508180118001801220c08ac0210e0c508180320b009180318b00918b0ae1520b00928b0ae15300638
                dcfcffffffffffffff01400022380a1b08ac0210e0c508180118001801220c08ac0210e0c508180320b0091208576966
                69535349441a0c5769666950617373776f726420b0092a2908ac0210e0c5081a2008ac02121b08ac0210e0c508180118
                001801220c08ac0210e0c508180320b00932200a06f0f1f2f3f4f510e0c50818012000280130003a06f0f1f2f3f4f540
                8097223a320a1b08ac0210e0c508180118001801220c08ac0210e0c508180320b0091000a001c0b955a00115a001c833
                a80115b001c833120308ac02
                """),
            MessageSample(
                try SystemProvisioning(
                    hardwareType: HardwareType(rawValue: 1), deviceId: BoundedBytes(ascii: "DeviceId"),
                    serialNumber: BoundedBytes(ascii: "SerialNumber"),
                    terminalPrivateKey: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
                    signaturePublicKey: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])),
                required: [1, 2, 3, 4, 5],
                "0801120844657669636549641a0c53657269616c4e756d6265722206f0f1f2f3f4f52a06f0f1f2f3f4f5"),
        ]
    }
}
