// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Protobuf

// One message of each kind with every field set, and its octets as Python's protobuf 7.36 writes them from the schema.
// Repeated numbers are unpacked there, as here.

extension MessageSample {
    static func credential() throws -> [MessageSample] {
        [
            MessageSample(
                try CredentialId(id: BoundedBytes(ascii: "Id")),
                required: [1],
                "0a024964"),
            MessageSample(
                try BlacklistEntry(
                    credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                    expiresAt: LocalTimestamp(
                        year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6)),
                required: [1, 2],
                "0a040a024964121208ac0210e0c508180320b00928b0ae153006"),
            MessageSample(
                try BlacklistEntries(entries: [
                    BlacklistEntry(
                        credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                        expiresAt: LocalTimestamp(
                            year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6)),
                    BlacklistEntry(
                        credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                        expiresAt: LocalTimestamp(
                            year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6)),
                ]),
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
                try Event(
                    sequenceId: 300,
                    eventTime: LocalTimestamp(
                        year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                    eventId: EventId(rawValue: 4), eventInfo: -240,
                    credentialId: CredentialId(id: BoundedBytes(ascii: "Id")), command: BoundedBytes(ascii: "Command")),
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
                try EventLogResult(events: [
                    Event(
                        sequenceId: 300,
                        eventTime: LocalTimestamp(
                            year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                        eventId: EventId(rawValue: 4), eventInfo: -240,
                        credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                        command: BoundedBytes(ascii: "Command")),
                    Event(
                        sequenceId: 300,
                        eventTime: LocalTimestamp(
                            year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                        eventId: EventId(rawValue: 4), eventInfo: -240,
                        credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                        command: BoundedBytes(ascii: "Command")),
                ]),
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
                try SystemLogEntry(
                    sequenceId: 300,
                    time: LocalTimestamp(year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                    severity: LogSeverity(rawValue: 4), line: 1200, file: BoundedBytes(ascii: "File"),
                    message: BoundedBytes(ascii: "Message")),
                required: [1, 2, 3, 4, 5, 6],
                "08ac02121208ac0210e0c508180320b00928b0ae153006180420b0092a0446696c6532074d657373616765"),
            MessageSample(
                try SystemLogResult(entries: [
                    SystemLogEntry(
                        sequenceId: 300,
                        time: LocalTimestamp(
                            year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                        severity: LogSeverity(rawValue: 4), line: 1200, file: BoundedBytes(ascii: "File"),
                        message: BoundedBytes(ascii: "Message")),
                    SystemLogEntry(
                        sequenceId: 300,
                        time: LocalTimestamp(
                            year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                        severity: LogSeverity(rawValue: 4), line: 1200, file: BoundedBytes(ascii: "File"),
                        message: BoundedBytes(ascii: "Message")),
                ]),
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
                OssAccessResult(
                    accessGranted: true, accessType: AccessType(rawValue: 3), accessInfo: 3,
                    scheduleEndTime: LocalTimestamp(
                        year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                    scheduleMissmatch: true),
                required: [1, 2, 3, 4, 5],
                "080110031803221208ac0210e0c508180320b00928b0ae1530062801"),
            MessageSample(
                try OssAccessEventsResult(
                    accessResult: OssAccessResult(
                        accessGranted: true, accessType: AccessType(rawValue: 3), accessInfo: 3,
                        scheduleEndTime: LocalTimestamp(
                            year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                        scheduleMissmatch: true),
                    events: [
                        Event(
                            sequenceId: 300,
                            eventTime: LocalTimestamp(
                                year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                            eventId: EventId(rawValue: 4), eventInfo: -240,
                            credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                            command: BoundedBytes(ascii: "Command")),
                        Event(
                            sequenceId: 300,
                            eventTime: LocalTimestamp(
                                year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                            eventId: EventId(rawValue: 4), eventInfo: -240,
                            credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                            command: BoundedBytes(ascii: "Command")),
                    ]),
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
                try SessionTokenCommand(
                    credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                    validityStart: LocalTimestamp(
                        year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                    validityEnd: LocalTimestamp(
                        year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                    command: BoundedBytes(ascii: "Command"), data: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])),
                required: [1, 2, 3, 4, 5],
                """
                0a040a024964121208ac0210e0c508180320b00928b0ae1530061a1208ac0210e0c508180320b00928b0ae1530062207
                436f6d6d616e642a06f0f1f2f3f4f5
                """),
            MessageSample(
                try SessionToken(
                    signature: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5]),
                    payload: .command(
                        SessionTokenCommand(
                            credentialId: CredentialId(id: BoundedBytes(ascii: "Id")),
                            validityStart: LocalTimestamp(
                                year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                            validityEnd: LocalTimestamp(
                                year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                            command: BoundedBytes(ascii: "Command"),
                            data: BoundedBytes([0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5])))),
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
                LockStatus(state: LockState(rawValue: 2), openings: 140000),
                required: [1, 2],
                "080210e0c508"),
            MessageSample(
                SystemSettings(
                    blacklistMaxEntriesCount: 300, blacklistEntriesCount: 140000, eventLogMaxEntriesCount: 3,
                    eventLogEntriesCount: 1200, eventLogSequenceId: 350000, eventLogIndex: 6,
                    systemLogMaxEntriesCount: 2100, systemLogEntriesCount: 560000, systemLogSequenceId: 9,
                    systemLogIndex: 3000, timeWasSet: true, isBatteryLow: false),
                required: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
                "08ac0210e0c508180320b00928b0ae15300638b41040809722480950b81758016000"),
            MessageSample(
                try SystemStatus(
                    configId: BoundedBytes(ascii: "ConfigId"), deviceId: BoundedBytes(ascii: "DeviceId"),
                    serialNumber: BoundedBytes(ascii: "SerialNumber"), hardwareType: HardwareType(rawValue: 4),
                    batteryLevel: BatteryLevel(rawValue: 13), applicationVersion: 6,
                    localTime: LocalTimestamp(
                        year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                    settings: SystemSettings(
                        blacklistMaxEntriesCount: 300, blacklistEntriesCount: 140000, eventLogMaxEntriesCount: 3,
                        eventLogEntriesCount: 1200, eventLogSequenceId: 350000, eventLogIndex: 6,
                        systemLogMaxEntriesCount: 2100, systemLogEntriesCount: 560000, systemLogSequenceId: 9,
                        systemLogIndex: 3000, timeWasSet: true, isBatteryLow: false),
                    lock: LockStatus(state: LockState(rawValue: 2), openings: 140000), applicationVersionTest: 3000),
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
                LocalTimestamp(year: 300, month: 140000, date: 3, hours: 1200, minutes: 350000, seconds: 6),
                required: [1, 2, 3, 4, 5, 6],
                "08ac0210e0c508180320b00928b0ae153006"),
            MessageSample(
                LocalTimeperiod(hoursFrom: 300, minutesFrom: 140000, hoursTo: 3, minutesTo: 1200),
                required: [1, 2, 3, 4],
                "08ac0210e0c508180320b009"),
            MessageSample(
                LocalTimeSchedule(
                    dayOfYearStart: 300, dayOfYearEnd: 140000, weekdays: [true, false, true],
                    timePeriod: LocalTimeperiod(hoursFrom: 300, minutesFrom: 140000, hoursTo: 3, minutesTo: 1200)),
                required: [1, 2, 4],
                "08ac0210e0c508180118001801220c08ac0210e0c508180320b009"),
            MessageSample(
                SystemTimeUnix(epoch: 300),
                required: [1],
                "08ac02"),
        ]
    }
}
