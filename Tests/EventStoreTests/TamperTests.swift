// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import Testing

@testable import EventStore

/// Manipulations of the file, and the results of `verify`.
@Suite struct TamperTests {
    @Test(arguments: [
        (
            "UPDATE event SET record = CAST(substr(record, 1, 9) || x'02' || substr(record, 11) AS BLOB) WHERE sequence = 4",
            [ChainFinding.changed(4)]
        ),
        ("UPDATE event SET kind = 2 WHERE sequence = 4", [.changed(4)]),
        ("UPDATE event SET chain = x'00' WHERE sequence = 4", [.changed(4)]),
        ("UPDATE event SET chain = zeroblob(32) WHERE sequence = 4", [.changed(4)]),
        ("DELETE FROM event WHERE sequence = 4", [.missing(4...4)]),
        ("DELETE FROM event WHERE sequence IN (4, 5, 8)", [.missing(4...5), .missing(8...8)]),
        ("DELETE FROM event WHERE sequence > 7", [.truncated(after: 7, head: 10)]),
        ("DELETE FROM event", [.truncated(after: 0, head: 10)]),
        (
            """
            UPDATE event SET sequence = 99 WHERE sequence = 3; UPDATE event SET sequence = 3 WHERE sequence = 4;
            UPDATE event SET sequence = 4 WHERE sequence = 99
            """,
            [.moved(3, from: 4), .moved(4, from: 3)]
        ),
        (
            "DELETE FROM event WHERE sequence < 4; UPDATE checkpoint SET sequence = 3",
            [.foreign]
        ),
        ("INSERT INTO event SELECT 11, kind, record, chain FROM event WHERE sequence = 10", [.moved(11, from: 10)]),
    ])
    func whatIsDoneToTheFileIsFound(sql: String, findings: [ChainFinding]) throws {
        let bench = try StoreBench()
        try bench.fill(10)
        #expect(try bench.verify().isSound)
        try bench.tamper(sql)
        let found = try bench.verify().findings
        // A forged checkpoint has the wrong chain value as well, so what follows does not fit it.
        if findings == [.foreign] { #expect(found == [.foreign, .changed(4)]) } else { #expect(found == findings) }
    }

    @Test func anOlderCopyIsFoundByTheHeadAndNoticedAtTheNextStart() throws {
        let bench = try StoreBench()
        try bench.fill(5)
        try bench.copy("events.db", to: "copy")
        try bench.fill(5)
        try bench.copy("copy", to: "events.db")
        #expect(try bench.verify().findings == [.truncated(after: 5, head: 10)])
        // The reader goes on, gives no number twice, and says what it found.
        let database = try bench.database()
        #expect(try database.append([StoreBench.event()]) == [.stored(12)])
        let lost = try #require(try database.connection.records(AuditQuery(kinds: [.logLost])).first)
        #expect(lost.sequence == 11 && lost.event.mark == 10 && lost.event.detail == "the log ended before its head")
        #expect(try bench.verify().findings == [.lost(11, upTo: 10)])
    }

    /// The manipulation that cannot be seen from the device alone (docs/operate/events.md): the whole directory put
    /// back. An anchor that was noted elsewhere shows it.
    @Test func anOlderCopyOfEverythingNeedsAnAnchor() throws {
        let bench = try StoreBench()
        try bench.fill(5)
        try bench.copy("events.db", to: "copy.db")
        try bench.copy("events.head", to: "copy.head")
        try bench.fill(5)
        let noted = try bench.verify()
        try bench.copy("copy.db", to: "events.db")
        try bench.copy("copy.head", to: "events.head")
        #expect(try bench.verify().isSound)
        let anchor = (sequence: try #require(noted.range?.upperBound), chain: try #require(noted.end))
        let report = try EventArchive(directory: bench.directory).verify(key: bench.key, anchor: anchor)
        #expect(report.findings == [.truncated(after: 5, head: 10)])
    }

    /// The opening of a log finds a loss, and the first record afterwards has the clock's time: so has the loss.
    @Test func aLossIsRecordedWithTheNextRecordAndAtItsTime() throws {
        let bench = try StoreBench()
        try bench.fill(5)
        unlink("\(bench.directory)/events.head")
        let early = AuditTime(epochSeconds: 0, utcOffsetMinutes: 0, quality: .unset, uptimeMilliseconds: 0)
        func open() throws -> EventDatabase {
            try EventDatabase(
                directory: bench.directory, key: bench.key, capacity: LogCapacity(records: 100, whenFull: .overwrite),
                at: early)
        }
        // A reader that is killed before that leaves what the next one finds as well.
        for _ in 0..<2 { #expect(try open().state.loss == "events.head is missing") }
        do {
            let database = try open()
            #expect(try database.append([StoreBench.event(5)]) == [.stored(7)])
            let records = try database.connection.records(AuditQuery(6...7))
            #expect(records.map(\.event.kind) == [.logLost, .granted])
            #expect(records[0].event.time == StoreBench.event(5).time && records[0].event.mark == 5)
        }
        #expect(try bench.verify().findings == [.lost(6, upTo: 5)])
        // Without a record it is written at the end.
        unlink("\(bench.directory)/events.head")
        let other = try open()
        other.finish()
        #expect(try other.connection.records(.newest(1))[0].event.kind == .logLost)
    }

    @Test func aLogThatWasTakenAwayIsNoticed() throws {
        let bench = try StoreBench()
        try bench.fill(5)
        unlink("\(bench.directory)/events.db")
        let database = try bench.database()
        #expect(try database.append([StoreBench.event()]) == [.stored(7)])
        let report = try bench.verify()
        #expect(report.findings == [.lost(6, upTo: 5)] && report.droppedThrough == 5)
    }

    @Test func aHeadThatWasTakenAwayOrForgedIsNoticed() throws {
        for forged in [false, true] {
            let bench = try StoreBench()
            try bench.fill(5)
            if forged {
                let file = try #require(fopen("\(bench.directory)/events.head", "r+"))
                fseek(file, 8, SEEK_SET)
                fputc(9, file)
                fclose(file)
            } else {
                unlink("\(bench.directory)/events.head")
            }
            #expect(try bench.verify().findings == [forged ? .headForeign : .headMissing])
            let database = try bench.database()
            #expect(database.state.lastKind == .logLost && database.state.last == 6)
            #expect(try bench.verify().findings == [.lost(6, upTo: 5)])
        }
    }

    @Test func aDamagedFileIsPutAsideAndTheReaderGoesOn() throws {
        let bench = try StoreBench()
        try bench.fill(5)
        let file = try #require(fopen("\(bench.directory)/events.db", "r+"))
        for _ in 0..<4096 { fputc(0x5A, file) }
        fclose(file)
        let database = try bench.database()
        #expect(try database.append([StoreBench.event()]) == [.stored(7)])
        #expect(bench.names.contains("events.db.damaged-1"))
        #expect(try bench.verify().findings == [.lost(6, upTo: 5)])
    }

    @Test func anotherDevicesKeyFitsNothing() throws {
        let bench = try StoreBench()
        try bench.fill(2)
        let other = AuditKey([UInt8](repeating: 8, count: 32))!
        #expect(try bench.verify(key: other).findings == [.foreign, .headForeign, .changed(1), .changed(2)])
    }
}
