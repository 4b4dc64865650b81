// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

// One message of each kind with every field set, and its octets as Python's protobuf 7.36 writes them from the schema.
// Repeated numbers are unpacked there, as here.

extension MessageSample {
    static func credential() throws -> [MessageSample] {
        [
            MessageSample(
                try CredentialId.sample,
                required: [1],
                "0a024964"),
            MessageSample(
                try BlacklistEntry.sample,
                required: [1, 2],
                "0a040a024964121208ac0210e0c508180320b00928b0ae153006"),
            MessageSample(
                try BlacklistEntries(entries: [.sample, .sample]),
                required: [],
                """
                0a1a0a040a024964121208ac0210e0c508180320b00928b0ae1530060a1a0a040a024964121208ac0210e0c508180320
                b00928b0ae153006
                """),
        ]
    }

    static func event() throws -> [MessageSample] {
        [
            MessageSample(
                try Event.sample,
                required: [1, 2, 3, 4],
                """
                08ac02121208ac0210e0c508180320b00928b0ae15300618042090feffffffffffffff012a040a0249643207436f6d6d
                616e64
                """),
            MessageSample(
                EventLogQuery(maxCount: 300, start: .sequenceId(140000)),
                required: [1],
                "08ac0210e0c508"),
            MessageSample(
                try EventLogResult(events: [.sample, .sample]),
                required: [],
                """
                0a3308ac02121208ac0210e0c508180320b00928b0ae15300618042090feffffffffffffff012a040a0249643207436f
                6d6d616e640a3308ac02121208ac0210e0c508180320b00928b0ae15300618042090feffffffffffffff012a040a0249
                643207436f6d6d616e64
                """),
            MessageSample(
                SystemLogQuery(maxCount: 300, start: .sequenceId(140000)),
                required: [1],
                "08ac0210e0c508"),
            MessageSample(
                try SystemLogEntry.sample,
                required: [1, 2, 3, 4, 5, 6],
                "08ac02121208ac0210e0c508180320b00928b0ae153006180420b0092a0446696c6532074d657373616765"),
            MessageSample(
                try SystemLogResult(entries: [.sample, .sample]),
                required: [],
                """
                0a2b08ac02121208ac0210e0c508180320b00928b0ae153006180420b0092a0446696c6532074d6573736167650a2b08
                ac02121208ac0210e0c508180320b00928b0ae153006180420b0092a0446696c6532074d657373616765
                """),
        ]
    }

    static func oss() throws -> [MessageSample] {
        [
            MessageSample(
                try OssSoMobile(
                    infoFile: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
                    dataFile: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
                    blacklistFile: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
                    customerExtensionsFile: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
                    requestedEventCount: 350000, supportedEventIds: FixedBytes(InlineArray { UInt8($0) })),
                required: [1, 2, 3, 4],
                """
                0a06f0f1f2f3f4f51206f0f1f2f3f4f51a06f0f1f2f3f4f52206f0f1f2f3f4f528b0ae15320c00010203040506070809
                0a0b
                """),
            MessageSample(
                try OssSidMobile(infoFile: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])),
                required: [1],
                "0a06f0f1f2f3f4f5"),
            MessageSample(
                OssAccessResult.sample,
                required: [1, 2, 3, 4, 5],
                "080110031803221208ac0210e0c508180320b00928b0ae1530062801"),
            MessageSample(
                try OssAccessEventsResult(
                    accessResult: .sample,
                    events: [.sample, .sample]),
                required: [1],
                """
                0a1c080110031803221208ac0210e0c508180320b00928b0ae1530062801123308ac02121208ac0210e0c508180320b0
                0928b0ae15300618042090feffffffffffffff012a040a0249643207436f6d6d616e64123308ac02121208ac0210e0c5
                08180320b00928b0ae15300618042090feffffffffffffff012a040a0249643207436f6d6d616e64
                """),
        ]
    }

    static func session() throws -> [MessageSample] {
        [
            MessageSample(
                SessionHandshake(transponderSalt: FixedBytes(InlineArray { UInt8($0) })),
                required: [1],
                "0a10000102030405060708090a0b0c0d0e0f"),
            MessageSample(
                try SessionHandshakeReply(
                    terminalSalt: FixedBytes(InlineArray { UInt8($0) }),
                    terminalSignature: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])),
                required: [1, 2],
                "0a10000102030405060708090a0b0c0d0e0f1206f0f1f2f3f4f5"),
            MessageSample(
                try SessionTokenCommand.sample,
                required: [1, 2, 3, 4, 5],
                """
                0a040a024964121208ac0210e0c508180320b00928b0ae1530061a1208ac0210e0c508180320b00928b0ae1530062207
                436f6d6d616e642a06f0f1f2f3f4f5
                """),
            MessageSample(
                try SessionToken(
                    signature: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
                    payload: .command(
                        .sample)),
                required: [1],
                """
                0a06f0f1f2f3f4f5123f0a040a024964121208ac0210e0c508180320b00928b0ae1530061a1208ac0210e0c508180320
                b00928b0ae1530062207436f6d6d616e642a06f0f1f2f3f4f5
                """),
            MessageSample(
                try SessionResult(data: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])),
                required: [1],
                "0a06f0f1f2f3f4f5"),
        ]
    }

    static func system() throws -> [MessageSample] {
        [
            MessageSample(
                VersionInfo(buildTime: 300, version: 140000, testVersion: 3),
                required: [1, 2, 3],
                "08ac0210e0c5081803"),
            MessageSample(
                BleManufacturerInfo(
                    hardwareType: HardwareType(rawValue: 1), batteryLevel: BatteryLevel(rawValue: 10),
                    applicationVersion: 3, localMidnightTimeEpoch: 1200, isFactory: true),
                required: [1, 2, 3, 4, 5],
                "0801100a180320b0092801"),
            MessageSample(
                LockStatus.sample,
                required: [1, 2],
                "080210e0c508"),
            MessageSample(
                SystemSettings.sample,
                required: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
                "08ac0210e0c508180320b00928b0ae15300638b41040809722480950b81758016000"),
            MessageSample(
                try SystemStatus(
                    configId: BoundedBytes(ascii: "ConfigId"), deviceId: BoundedBytes(ascii: "DeviceId"),
                    serialNumber: BoundedBytes(ascii: "SerialNumber"), hardwareType: HardwareType(rawValue: 4),
                    batteryLevel: BatteryLevel(rawValue: 13), applicationVersion: 6,
                    localTime: .sample,
                    settings: .sample,
                    lock: .sample, applicationVersionTest: 3000),
                required: [1, 2, 3, 4, 5, 6, 7, 8],
                """
                0a08436f6e6669674964120844657669636549641a0c53657269616c4e756d6265722004280d30063a1208ac0210e0c5
                08180320b00928b0ae153006422208ac0210e0c508180320b00928b0ae15300638b41040809722480950b81758016000
                4a06080210e0c50850b817
                """),
        ]
    }

    static func time() throws -> [MessageSample] {
        [
            MessageSample(
                LocalTimestamp.sample,
                required: [1, 2, 3, 4, 5, 6],
                "08ac0210e0c508180320b00928b0ae153006"),
            MessageSample(
                LocalTimeperiod.sample,
                required: [1, 2, 3, 4],
                "08ac0210e0c508180320b009"),
            MessageSample(
                LocalTimeSchedule.sample,
                required: [1, 2, 4],
                "08ac0210e0c508180118001801220c08ac0210e0c508180320b009"),
            MessageSample(
                SystemTimeUnix(epoch: 300),
                required: [1],
                "08ac02"),
        ]
    }
}
