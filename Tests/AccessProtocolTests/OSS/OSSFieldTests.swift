// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Protobuf
import Testing
import Timekeeping

@Suite("Fields of OSS files (access protocol, 7)")
struct OSSFieldTests {
    @Test("timestamps: packed decimals, month, hour and minute checked, the day not; all zero is valid and unset")
    func timestamps() {
        let rows: [(String, StatusCode?)] = [
            ("2030 12 31 23 58", nil), ("0000 00 00 00 00", nil), ("9999 12 99 23 59", nil), ("2024 02 30 00 00", nil),
            ("2024 01 00 00 00", nil), ("0000 01 00 00 00", nil),
            ("2024 00 01 00 00", .standardOfflineTimestamp), ("2024 13 01 00 00", .standardOfflineTimestamp),
            ("2024 01 01 24 00", .standardOfflineTimestamp), ("2024 01 01 00 60", .standardOfflineTimestamp),
            ("0000 00 00 00 01", .standardOfflineTimestamp), ("2a24 01 01 00 00", .standardOfflineTimestamp),
            ("20f4 01 01 00 00", .standardOfflineTimestamp), ("2024 0a 01 00 00", .standardOfflineTimestamp),
            ("2024 01 a1 00 00", .standardOfflineTimestamp), ("2024 01 01 0f 00", .standardOfflineTimestamp),
            ("2024 01 01 00 5a", .standardOfflineTimestamp),
            ("2030 12 31 23", .standardOfflineTimestamp), ("2030 12 31 23 58 00", .standardOfflineTimestamp),
            ("", .standardOfflineTimestamp),
        ]
        for (hex, status) in rows {
            let bytes = octets(hex)
            var written: [UInt8] = []
            let error = thrown { () throws(StatusCode) in try OSSTimestamp(octets: bytes.span).append(to: &written) }
            #expect(error == status, "\(hex)")
            #expect(status != nil || written == bytes, "\(hex)")
        }
    }

    @Test("timestamps order field by field, unset first, and are made of times to the minute")
    func timestampOrder() throws {
        let time = CivilTime(year: 2026, month: 11, day: 21, hour: 12, minute: 34, second: 56)
        let timestamp = try #require(OSSTimestamp(time))
        var written: [UInt8] = []
        timestamp.append(to: &written)
        #expect(written == octets("2026 11 21 12 34"))
        #expect(timestamp.civilTime == CivilTime(year: 2026, month: 11, day: 21, hour: 12, minute: 34))
        let later = [
            "2026 11 21 12 35", "2026 11 21 13 00", "2026 11 22 00 00", "2026 12 01 00 00", "2027 01 01 00 00",
        ]
        for hex in later {
            let bytes = octets(hex)
            let other = try OSSTimestamp(octets: bytes.span)
            #expect(timestamp < other && OSSTimestamp.unset < other, "\(hex)")
        }
        #expect(OSSTimestamp(CivilTime(year: 10_000, month: 1, day: 1)) == nil)
        #expect(OSSTimestamp(CivilTime(year: 2026, month: 0, day: 1)) == nil)
    }

    @Test("credential ids: ten octets, the characters last")
    func credentialIDs() throws {
        let rows: [(String, String?)] = [
            ("43524544303030303031", "CRED000001"), ("0000000000004556494c", "EVIL"),
            ("00000000000000000041", "A"), ("00000000000000000000", nil), ("41000000000000000000", nil),
            ("00004100000000000042", nil), ("000000000000004556c9", nil), ("4556494c", nil),
            ("0000000000000000004556494c", nil), ("", nil),
        ]
        for (hex, text) in rows {
            let bytes = octets(hex)
            var read: OSSCredentialID?
            let error = thrown { () throws(StatusCode) in read = try OSSCredentialID(octets: bytes.span) }
            #expect(error == (text == nil ? .credentialID : nil), "\(hex)")
            #expect(read?.text == text, "\(hex)")
            guard let read else { continue }
            var written: [UInt8] = []
            read.append(to: &written)
            #expect(written == bytes, "\(hex)")
            #expect(OSSCredentialID(read.text) == read)
        }
        #expect(OSSCredentialID("") == nil && OSSCredentialID("12345678901") == nil && OSSCredentialID("CRÉD") == nil)
    }

    @Test("a log has at most five characters of an identifier, and never more than half of them")
    func redaction() {
        #expect(OSSCredentialID("CRED000001")?.description == "CR…001")
        let rows = [
            "": "…", "1": "…", "12": "…2", "123": "…3", "1234": "…34", "12345": "…45", "123456": "…456",
            "1234567": "…567", "12345678": "1…678", "123456789": "1…789", "1234567890": "12…890",
            "12345678901234567890": "12…890",
        ]
        for (identifier, part) in rows { #expect(OSSCredentialID.redacted(identifier) == part) }
    }

    @Test("periods: hours 0 to 23 and 1 to 24, minutes below 59, 24 with 00, the end later; else -234")
    func periods() {
        let rows: [(UInt8, UInt8, UInt8, UInt8, Bool)] = [
            (0, 0, 24, 0, true), (8, 0, 18, 0, true), (8, 58, 8, 59, false), (8, 57, 8, 58, true),
            (23, 58, 24, 0, true),
            (8, 59, 9, 0, false), (24, 0, 24, 0, false), (8, 0, 0, 30, false), (8, 0, 24, 1, false),
            (8, 0, 25, 0, false),
            (9, 0, 9, 0, false), (9, 0, 8, 0, false), (0, 0, 1, 0, true),
        ]
        for (fromHour, fromMinute, toHour, toMinute, isGood) in rows {
            let error = thrown { () throws(StatusCode) in
                _ = try OSSTimePeriod(fromHour: fromHour, fromMinute: fromMinute, toHour: toHour, toMinute: toMinute)
            }
            #expect(
                error == (isGood ? nil : .standardOfflinePeriod), "\(fromHour):\(fromMinute)-\(toHour):\(toMinute)")
        }
    }

    @Test("the calendar: weekday from Monday, and days of the year that have one number in every year")
    func calendar() {
        let rows: [(Int, Int, Int, weekday: Int, scheduleDay: Int)] = [
            (1970, 1, 1, 3, 1), (2024, 2, 29, 3, 60), (2024, 12, 31, 1, 366), (2026, 11, 21, 5, 326),
            (2023, 12, 31, 6, 366), (1969, 12, 31, 2, 366), (2024, 6, 5, 2, 157), (2027, 2, 28, 6, 59),
            (2027, 3, 1, 0, 61), (2028, 3, 1, 2, 61), (2100, 3, 1, 0, 61),
        ]
        for row in rows {
            let time = CivilTime(year: row.0, month: row.1, day: row.2, hour: 23, minute: 59, second: 59)
            #expect(time.weekday == row.weekday, "\(row)")
            #expect(time.scheduleDay == row.scheduleDay, "\(row)")
            #expect(time.minuteOfDay == 1439)
        }
        let time = CivilTime(year: 2024, month: 12, day: 31, hour: 5)
        #expect(time.dayBeginning(plusMinutes: 1440) == CivilTime(year: 2025, month: 1, day: 1))
        #expect(
            time.dayBeginning(plusMinutes: 61, days: 2) == CivilTime(year: 2025, month: 1, day: 2, hour: 1, minute: 1))
    }
}
