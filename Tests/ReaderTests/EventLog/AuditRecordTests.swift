// SPDX-License-Identifier: Apache-2.0

import Octets
import Protobuf
import Testing
import Timekeeping

@testable import AccessProtocol
@testable import Reader
@testable import ReaderTestSupport

@Suite struct AuditRecordTests {
    static let record = AuditRecord(sequence: 0x0102, event: AuditSample.event())
    static let octets: [UInt8] = [
        0x01, 0x02, 0x01, 0, 0, 0, 0, 0, 0, 0x01, 0x00, 0x01,
        0xC0, 0x87, 0x01, 0x6B, 0, 0, 0, 0, 0x3C, 0x00, 0x39, 0x30, 0, 0, 0, 0, 0, 0,
        0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x01, 0x07, 0, 0, 0, 0x02, 0xD3,
        0x0A, 0x43, 0x52, 0x45, 0x44, 0x30, 0x30, 0x30, 0x30, 0x30, 0x31, 0x04, 0x74, 0x6F, 0x6B, 0x6E, 0x00, 0x00,
    ]

    private func read(_ octets: [UInt8]) throws(AuditRecordError) -> AuditRecord {
        try AuditRecord(decoding: octets.span)
    }

    @Test func octetsAreTheDocumentedOnes() throws {
        #expect(Self.record.octets == Self.octets)
        let decoded = try read(Self.octets)
        #expect(decoded == Self.record)
    }

    @Test func whatIsCutOrHasMoreIsNoRecord() {
        for count in 0..<Self.octets.count {
            #expect(throws: AuditRecordError.self, "\(count)") {
                try read(Array(Self.octets[..<count]))
            }
        }
        #expect(throws: AuditRecordError.octets(.trailing(offset: Self.octets.count, count: 1))) {
            try read((Self.octets + [0]))
        }
    }

    @Test func valuesThatDoNotExistAreNoRecord() {
        // Version, quality, channel, mode, credential too long for its limit, credential no UTF-8.
        #expect(throws: AuditRecordError.version(2)) { try read(([2] + Self.octets[1...])) }
        for (index, value) in [(11, 4), (42, 7), (47, 7), (50, 0xFF)] as [(Int, UInt8)] {
            var octets = Self.octets
            octets[index] = value
            #expect(throws: AuditRecordError.invalid, "\(index)") { try read(octets) }
        }
        var long = Self.octets
        long[49] = 11
        long.insert(0x32, at: 60)
        #expect(throws: AuditRecordError.invalid) { try read(long) }
    }

    @Test func textsAreCutAtACharacter() throws {
        let event = AuditEvent(
            .denied, at: AuditSample.time, credential: "12345678\u{E9}\u{E9}", actor: String(repeating: "a", count: 40),
            detail: String(repeating: "\u{20AC}", count: 30))
        #expect(event.credential == "12345678\u{E9}")
        #expect(event.actor.utf8.count == 32)
        #expect(event.detail.utf8.count == 63)
        let record = AuditRecord(sequence: .max, event: event)
        #expect(record.octets.count <= AuditRecord.octetLimit)
        let decoded = try read(record.octets)
        #expect(decoded == record)
    }

    @Test func aKindOfALaterVersionIsKept() throws {
        let record = AuditRecord(sequence: 1, event: AuditSample.event(AuditKind(rawValue: 777)))
        let decoded = try read(record.octets)
        #expect(decoded.event.kind.name == "kind-777")
    }

    @Test func kindsHaveNumbersAndNamesOfTheirOwn() {
        let table = AuditKind.table
        #expect(Set(table.map(\.kind)).count == table.count && Set(table.map(\.name)).count == table.count)
        #expect(table.map(\.kind.rawValue) == table.map(\.kind.rawValue).sorted())
        for (kind, name) in table { #expect(AuditKind(name: name) == kind && kind.name == name) }
        #expect(AuditKind(name: "kind-1") == nil)
    }

    /// Access protocol, 8.1: event 14 carries a command's code, 10 and 11 a decision, 15 an error of one.
    @Test func phonesReadEveryRecord() throws {
        let event = Self.record.phoneEvent
        #expect(event.sequenceId == 0x0102 && event.eventId == .terminalCommand && event.eventInfo == 0)
        #expect(try event.credentialId == CredentialId(id: BoundedBytes(ascii: "CRED000001")))
        // One hour ahead of UTC.
        #expect(CivilTime(event.eventTime) == CivilTime(year: 2026, month: 11, day: 21, hour: 13))
        func meaning(_ kind: AuditKind, _ info: Int32, command: String = "") -> [Int32] {
            let event = AuditEvent(kind, at: AuditSample.time, info: info, command: command)
            let read = AuditRecord(sequence: 1, event: event).phoneEvent
            return [read.eventId.rawValue, read.eventInfo]
        }
        #expect(meaning(.granted, 3) == [10, 3])
        #expect(meaning(.denied, 132) == [11, 132])
        #expect(meaning(.denied, -230) == [15, -230])
        #expect(meaning(.denied, -12, command: "tokn") == [14, -12])
        #expect(meaning(.command, -5, command: "PING") == [14, -5])
        #expect(meaning(.start, 0) == [4, 1] && meaning(.configurationChanged, 0) == [4, 2])
        #expect(meaning(.tamper, 0) == [7, 0] && meaning(.requestToExit, 0) == [4, 1016])
        // What a forged token claims need not be ASCII.
        let odd = AuditEvent(.denied, at: AuditSample.time, credential: "\u{E9}")
        #expect(AuditRecord(sequence: 1, event: odd).phoneEvent.credentialId == nil)
    }

    @Test func queriesOfPhonesAreBounded() {
        #expect(AuditQuery(EventLogQuery(maxCount: 40, start: .sequenceId(900))).range.lowerBound == 900)
        #expect(AuditQuery(EventLogQuery(maxCount: .max, start: .fromHead(true))) == .newest(64))
        #expect(AuditQuery(EventLogQuery(maxCount: 0)).limit == 0)
        #expect(SystemLineQuery(SystemLogQuery(maxCount: 100, start: .fromHead(true))).limit == 16)
    }
}
