// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Testing

@Suite("The session's messages as they were recorded")
struct SessionMessageTests {
    private static let start = LocalTimestamp(year: 2023, month: 1, date: 1, hours: 0, minutes: 0, seconds: 0)
    private static let end = LocalTimestamp(year: 2030, month: 1, date: 1, hours: 0, minutes: 0, seconds: 0)
    private static let token = octets(
        """
        80010a483046022100f748d96e82f03347f4f54b3a8de29899ad7882a85006da4f533610db36826c5b022100bf3b158eef279d
        0378958726e88c61d4faab0c3b4e04c89150ee7c53453e2f0912340a0c0a0a43524544303030303031120d08e70f1001180120
        00280030001a0d08ee0f10011801200028003000220450494e472a00
        """)

    @Test("Handshake")
    func handshake() throws {
        let octets = octets("120a100ffe0eb6ccfed9dd80aac04c1886aa62")
        let message = try SessionHandshake(decodingDelimited: octets.span)
        #expect(message.transponderSalt == FixedBytes(InlineArray { octets[3 + $0] }))
        var encoded: [UInt8] = []
        message.encodeDelimited(into: &encoded)
        #expect(encoded == octets)
    }

    @Test("A salt has 16 octets: 8, 15, 17, 18 and none are errors")
    func saltLength() {
        for count in [0, 8, 15, 17, 18] {
            let octets = [10, UInt8(count)] + [UInt8](repeating: 7, count: count)
            #expect(throws: ProtobufError.wrongLength(field: 1)) { try SessionHandshake(decoding: octets.span) }
        }
        let nothing: [UInt8] = []
        #expect(throws: ProtobufError.missingRequired(field: 1)) { try SessionHandshake(decoding: nothing.span) }
        #expect(throws: ProtobufError.truncated(offset: 0)) { try SessionHandshake(decodingDelimited: nothing.span) }
        let extended = octets("120a100ffe0eb6ccfed9dd80aac04c1886aa62") + [0x78, 1]
        #expect(throws: ProtobufError.trailing(bytes: 2)) { try SessionHandshake(decodingDelimited: extended.span) }
    }

    @Test("Handshake reply")
    func reply() throws {
        let octets = octets(
            """
            5b0a105f748e29d1314bfa870a93bcee97591912473045022100b54a4bfe5264ada3792a38143164404daf83605f4320e54e13
            fb2dbcb25ac02f02205bac394d29ffd143e7426232fb52178083f09e1b7ecaa21faaee04fafe76a691
            """)
        let message = try SessionHandshakeReply(decodingDelimited: octets.span)
        #expect(message.terminalSalt == FixedBytes(InlineArray { octets[3 + $0] }))
        #expect(message.terminalSignature.count == 71)
        var encoded: [UInt8] = []
        message.encodeDelimited(into: &encoded)
        #expect(encoded == octets)
    }

    @Test("Token with a command: fields that are 0 are there, and the padding behind it is ignored")
    func tokenWithCommand() throws {
        let padded = SessionMessageTests.token + [UInt8](repeating: 0, count: 14)
        let message = try SessionToken(decodingDelimitedPrefixOf: padded.span)
        #expect(
            message.payload
                == .command(
                    SessionTokenCommand(
                        credentialId: CredentialId(id: try BoundedBytes(ascii: "CRED000001")),
                        validityStart: SessionMessageTests.start, validityEnd: SessionMessageTests.end,
                        command: try BoundedBytes(ascii: "PING"), data: BoundedBytes())))
        #expect(message.signature.count == 72)
        var encoded: [UInt8] = []
        message.encodeDelimited(into: &encoded)
        #expect(encoded == SessionMessageTests.token)
        #expect(throws: ProtobufError.trailing(bytes: 14)) { try SessionToken(decodingDelimited: padded.span) }
        // PKCS#7 padding instead of zeroes is ignored as well.
        let other = SessionMessageTests.token + [UInt8](repeating: 14, count: 14)
        #expect(try SessionToken(decodingDelimitedPrefixOf: other.span) == message)
    }

    @Test("Result with version")
    func result() throws {
        let padded = octets("0d0a0b0a08bce985b106100118130000")
        let message = try SessionResult(decodingDelimitedPrefixOf: padded.span)
        let version = try message.data.withSpan { data throws(ProtobufError) in
            try VersionInfo(decodingDelimited: data)
        }
        #expect(version == VersionInfo(buildTime: 1_713_468_604, version: 1, testVersion: 19))
        var encoded: [UInt8] = []
        message.encodeDelimited(into: &encoded)
        #expect(encoded == octets("0d0a0b0a08bce985b10610011813"))
    }

    @Test("A token without a choice is a message")
    func tokenWithoutPayload() throws {
        let octets = octets("0a01aa")
        let message = try SessionToken(decoding: octets.span)
        #expect(message == SessionToken(signature: try BoundedBytes([0xAA])))
    }

    @Test("Of several choices the last counts, and each must be whole")
    func choices() throws {
        let both = octets("0a01aa 2203 0a0101 2203 0a0102")
        #expect(
            try SessionToken(decoding: both.span).payload == .ossSid(OssSidMobile(infoFile: try BoundedBytes([2]))))
        let other = octets("0a01aa 2203 0a0101 1a0c 0a0101 120102 1a0103 220104")
        #expect(
            try SessionToken(decoding: other.span).payload
                == .ossSo(
                    OssSoMobile(
                        infoFile: try BoundedBytes([1]), dataFile: try BoundedBytes([2]),
                        blacklistFile: try BoundedBytes([3]), customerExtensionsFile: try BoundedBytes([4]))))
        let broken = octets("0a01aa 2200 2203 0a0102")
        #expect(throws: ProtobufError.missingRequired(field: 1)) { try SessionToken(decoding: broken.span) }
    }

    @Test(
        "Limits: at them and one over",
        arguments: [
            (field: 1, limit: 10), (field: 4, limit: 8), (field: 5, limit: 1792),
        ])
    func commandLimits(field: UInt32, limit: Int) throws {
        func command(_ over: Int) -> [UInt8] {
            func text(_ number: UInt32, _ fallback: Int) -> [UInt8] {
                [UInt8](repeating: 0x41, count: number == field ? limit + over : fallback)
            }
            var octets: [UInt8] = []
            ProtobufWriter.append(to: &octets) { writer in
                var credential: [UInt8] = []
                ProtobufWriter.append(to: &credential) { $0.put(text(1, 3).span, field: 1) }
                writer.put(credential.span, field: 1)
                writer.put(SessionMessageTests.start, field: 2)
                writer.put(SessionMessageTests.end, field: 3)
                writer.put(text(4, 3).span, field: 4)
                writer.put(text(5, 0).span, field: 5)
            }
            return octets
        }
        let longest = command(0)
        let message = try SessionTokenCommand(decoding: longest.span)
        #expect([1: message.credentialId.id.count, 4: message.command.count, 5: message.data.count][field] == limit)
        let tooLong = command(1)
        #expect(throws: ProtobufError.tooLong(field: field)) { try SessionTokenCommand(decoding: tooLong.span) }
    }

    @Test("Limits of signature, result and OSS files")
    func otherLimits() {
        func field(_ number: UInt8, _ count: Int) -> [UInt8] {
            var octets: [UInt8] = []
            let value = [UInt8](repeating: 0, count: count)
            ProtobufWriter.append(to: &octets) { $0.put(value.span, field: UInt32(number)) }
            return octets
        }
        func outcome<Message: ProtobufMessage>(_: Message.Type, _ octets: [UInt8]) -> ProtobufError? {
            thrown { () throws(ProtobufError) in _ = try Message(decoding: octets.span) }
        }
        #expect(outcome(SessionToken.self, field(1, 74)) == nil)
        #expect(outcome(SessionToken.self, field(1, 75)) == .tooLong(field: 1))
        #expect(outcome(SessionResult.self, field(1, 1792)) == nil)
        #expect(outcome(SessionResult.self, field(1, 1793)) == .tooLong(field: 1))
        let files = [32, 291, 257, 32]
        for over in 0..<4 {
            let octets = (0..<4).flatMap { field(UInt8($0 + 1), files[$0] + ($0 == over ? 1 : 0)) }
            #expect(outcome(OssSoMobile.self, octets) == .tooLong(field: UInt32(over + 1)))
        }
        let longest = (0..<4).flatMap { field(UInt8($0 + 1), files[$0]) }
        #expect(outcome(OssSoMobile.self, longest) == nil)
        #expect(outcome(OssSoMobile.self, longest + field(6, 11)) == .wrongLength(field: 6))
    }

    @Test("OSS results as recorded")
    func ossResults() throws {
        let none = LocalTimestamp(year: 0, month: 0, date: 0, hours: 0, minutes: 0, seconds: 0)
        let until = LocalTimestamp(year: 2024, month: 6, date: 5, hours: 17, minutes: 30, seconds: 0)
        let recorded: [(hex: String, result: OssAccessResult)] = [
            (
                "18 0a16 0801 1002 1803 220c 080010001800200028003000 2800",
                OssAccessResult(
                    accessGranted: true, accessType: .extendedTime, accessInfo: 3, scheduleEndTime: none,
                    scheduleMissmatch: false)
            ),
            (
                "18 0a16 0800 1008 1800 220c 080010001800200028003000 2800",
                OssAccessResult(
                    accessGranted: false, accessType: .noAccessBlacklisted, accessInfo: 0, scheduleEndTime: none,
                    scheduleMissmatch: false)
            ),
            (
                "19 0a17 0801 1001 1803 220d 08e80f100618052011281e3000 2800",
                OssAccessResult(
                    accessGranted: true, accessType: .defaultTime, accessInfo: 3, scheduleEndTime: until,
                    scheduleMissmatch: false)
            ),
        ]
        for (hex, result) in recorded {
            let octets = octets(hex)
            let message = OssAccessEventsResult(accessResult: result)
            #expect(try OssAccessEventsResult(decodingDelimited: octets.span) == message)
            var encoded: [UInt8] = []
            message.encodeDelimited(into: &encoded)
            #expect(encoded == octets)
        }
    }

    @Test("Repeated fields: at their limit and one more; packed numbers too")
    func repeated() throws {
        let period = "2208 0800 1000 1817 2000"
        let unpacked = octets("0801 10ee02" + String(repeating: "1801", count: 7) + period)
        let packed = octets("0801 10ee02 1a07 01010101010101" + period)
        let schedule = LocalTimeSchedule(
            dayOfYearStart: 1, dayOfYearEnd: 366, weekdays: [Bool](repeating: true, count: 7),
            timePeriod: LocalTimeperiod(hoursFrom: 0, minutesFrom: 0, hoursTo: 23, minutesTo: 0))
        #expect(try LocalTimeSchedule(decoding: unpacked.span) == schedule)
        #expect(try LocalTimeSchedule(decoding: packed.span) == schedule)
        let eight = unpacked + [0x18, 0]
        #expect(throws: ProtobufError.tooMany(field: 3)) { try LocalTimeSchedule(decoding: eight.span) }
        let packedEight = packed + [0x1A, 1, 0]
        #expect(throws: ProtobufError.tooMany(field: 3)) { try LocalTimeSchedule(decoding: packedEight.span) }

        var entries: [UInt8] = []
        let entry = BlacklistEntry(
            credentialId: CredentialId(id: try BoundedBytes(ascii: "EVIL")), expiresAt: SessionMessageTests.end)
        ProtobufWriter.append(to: &entries) { writer in
            for _ in 0..<BlacklistEntries.entriesLimit { writer.put(entry, field: 1) }
        }
        #expect(try BlacklistEntries(decoding: entries.span).entries.count == 64)
        ProtobufWriter.append(to: &entries) { $0.put(entry, field: 1) }
        #expect(throws: ProtobufError.tooMany(field: 1)) { try BlacklistEntries(decoding: entries.span) }
    }

    @Test("Negative numbers take ten octets, and are read with or without their sign extended")
    func negative() throws {
        let event = Event(
            sequenceId: 1, eventTime: SessionMessageTests.start, eventId: .terminalCommand, eventInfo: -12)
        var encoded: [UInt8] = []
        event.encode(into: &encoded)
        #expect(encoded == octets("0801 120d08e70f10011801200028003000 180e 20f4ffffffffffffffff01"))
        let short = octets("0801 120d08e70f10011801200028003000 180e 20f4ffffff0f")
        #expect(try Event(decoding: short.span) == event)
    }

    @Test("Open codes keep numbers that have no name")
    func openCodes() throws {
        let octets = octets("082a 1007")
        let status = try LockStatus(decoding: octets.span)
        #expect(status.state == LockState(rawValue: 42))
        var encoded: [UInt8] = []
        status.encode(into: &encoded)
        #expect(encoded == octets)
    }
}
