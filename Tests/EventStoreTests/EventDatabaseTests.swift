// SPDX-License-Identifier: Apache-2.0

import AccessProtocol
import Glibc
import Reader
import Testing

@testable import EventStore

@Suite struct EventDatabaseTests {
    @Test func aLogGoesOnWhereItWasLeft() throws {
        let bench = try StoreBench()
        try bench.fill(5)
        let database = try bench.database()
        #expect(database.state.last == 5 && database.state.lastKind == .granted && database.state.count == 5)
        #expect(try database.append([StoreBench.event(5), StoreBench.event(6)]) == [.stored(6), .stored(7)])
        let records = try database.connection.records(AuditQuery())
        #expect(records.map(\.sequence) == Array(1...7) && records.map(\.event.info) == Array(0...6))
        #expect(records[6].event == StoreBench.event(6))
        let report = try bench.verify()
        #expect(report.isSound && report.count == 7)
    }

    @Test func filesAreTheOwnersOnly() throws {
        let bench = try StoreBench()
        let database = try bench.database()
        _ = try database.append([StoreBench.event()])
        for name in ["events.db", "events.db-wal", "events.db-shm", "events.head", "events.lock"] {
            var status = stat()
            try #require(stat("\(bench.directory)/\(name)", &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600, "\(name)")
        }
        // The lock is the reader's: a second one is told.
        #expect(throws: DiskFault.inUse) { try bench.database() }
        #expect(database.state.count == 1)
    }

    @Test func everyCommitIsSynchronised() throws {
        let database = try StoreBench().database()
        #expect(try database.connection.number("PRAGMA synchronous") == 2)
        #expect(try database.connection.text("PRAGMA journal_mode") == "wal")
    }

    @Test func aRingKeepsACheckpointOfWhatItDropped() throws {
        let bench = try StoreBench()
        let database = try bench.database(64)
        for info in 0..<200 { _ = try database.append([StoreBench.event(info)]) }
        #expect(database.state.last == 200 && (64...66).contains(database.state.count))
        let report = try bench.verify()
        #expect(report.isSound && report.count + report.droppedThrough == 200)
        #expect(try LogState(database.connection) == database.state)
    }

    @Test func clearingIsAWatermark() throws {
        let bench = try StoreBench()
        try bench.fill(5)
        let database = try bench.database()
        #expect(
            try database.append([StoreBench.event(0, .logCleared), StoreBench.event(9)]) == [.stored(6), .stored(7)])
        let shown = try database.connection.records(AuditQuery())
        #expect(shown.map(\.sequence) == [6, 7] && shown[0].event.mark == 5)
        #expect(try database.connection.records(AuditQuery(includesCleared: true)).count == 7)
        #expect(database.state.live == 2 && database.state.clearedThrough == 5)
        #expect(try LogState(database.connection) == database.state)
        #expect(try bench.verify().isSound)
    }

    @Test func aLogThatRefusesIsFullUntilItIsCleared() throws {
        let bench = try StoreBench()
        let database = try bench.database(100, .refuse)
        for info in 0..<100 { #expect(try database.append([StoreBench.event(info)]) == [.stored(UInt64(info) + 1)]) }
        #expect(database.state.lastKind == .logFull && database.state.last == 101)
        #expect(try database.append([StoreBench.event(), StoreBench.event(0, .fire)]) == [.refused, .stored(102)])
        #expect(try database.append([StoreBench.event(0, .logCleared)]) == [.stored(103)])
        for info in 0..<99 { #expect(try database.append([StoreBench.event(info)]) != [.refused]) }
        #expect(database.state.lastKind == .logFull && database.state.count <= 110)
        #expect(try LogState(database.connection) == database.state)
        #expect(try bench.verify().isSound)
    }

    /// They have as much room of their own; only when that is used up do others go for them. The chain has no gap.
    @Test func strangersDisplaceNobodysRecords() throws {
        let bench = try StoreBench()
        let database = try bench.database(100)
        _ = try database.append((0..<50).map { StoreBench.event($0) })
        _ = try database.append((0..<100).map { StoreBench.event($0, $0 % 10 == 9 ? .unprovenSuppressed : .unproven) })
        _ = try database.append((50..<102).map { StoreBench.event($0) })
        #expect(database.state.count == 202 && database.state.checkpoint.sequence == 0)
        #expect(database.state.unproven == 100)
        #expect(try LogState(database.connection) == database.state)
        _ = try database.append([StoreBench.event(102), StoreBench.event(103)])
        #expect(database.state.checkpoint.sequence == 3)
        for info in 0..<150 { _ = try database.append([StoreBench.event(info, .unproven)]) }
        #expect(database.state.count <= 204)
        #expect(try LogState(database.connection) == database.state)
        #expect(try bench.verify().isSound)
    }

    /// Else whoever is in range would shut a door whose log is not to lose anything.
    @Test func strangersDoNotFillALogThatRefuses() throws {
        let bench = try StoreBench()
        let database = try bench.database(100, .refuse)
        for info in 0..<90 { _ = try database.append([StoreBench.event(info, .unproven)]) }
        for info in 0..<99 { #expect(try database.append([StoreBench.event(info)]) != [.refused]) }
        #expect(!database.state.isFull(database.capacity))
        _ = try database.append([StoreBench.event(99)])
        #expect(database.state.isFull(database.capacity) && database.state.lastKind == .logFull)
        #expect(try database.append([StoreBench.event(), StoreBench.event(0, .unproven)]) == [.refused, .refused])
        #expect(try LogState(database.connection) == database.state)
        _ = try database.append([StoreBench.event(0, .logCleared)])
        #expect(!database.state.isFull(database.capacity) && database.state.liveUnproven == 0)
        for info in 0..<99 { #expect(try database.append([StoreBench.event(info)]) != [.refused]) }
        #expect(try LogState(database.connection) == database.state)
        #expect(try bench.verify().isSound)
    }

    @Test func aStartSaysWhetherTheRunBeforeEndedInOrder() throws {
        let bench = try StoreBench()
        let database = try bench.database()
        let kinds: [AuditKind] = [.start, .stop, .start, .granted, .start]
        for kind in kinds { _ = try database.append([StoreBench.event(5, kind)]) }
        let starts = try database.connection.records(AuditQuery(kinds: [.start]))
        #expect(starts.map(\.event.info) == [0, 0, 1])
    }

    @Test func queriesSelect() throws {
        let bench = try StoreBench()
        let database = try bench.database()
        for info in 0..<10 { _ = try database.append([StoreBench.event(info, info % 2 == 0 ? .granted : .denied)]) }
        func ask(_ query: AuditQuery) throws -> [UInt64] { try database.connection.records(query).map(\.sequence) }
        #expect(try ask(.newest(3)) == [10, 9, 8])
        #expect(try ask(AuditQuery(4...6)) == [4, 5, 6])
        #expect(try ask(AuditQuery(kinds: [.denied], limit: 2)) == [2, 4])
        #expect(try ask(AuditQuery(kinds: [.denied, .granted], limit: 1, isNewestFirst: true)) == [10])
        #expect(try ask(AuditQuery(kinds: [AuditKind(rawValue: 999)])) == [])
        #expect(try ask(AuditQuery(0...UInt64.max, limit: 0)) == [])
    }

    @Test func aFullDiskTakesNothingAndHarmsNothing() throws {
        let bench = try StoreBench()
        try bench.fill(1)
        let database = try bench.database(100_000, pages: 20)
        var stored = 0
        #expect(throws: DiskFault.full) {
            while stored < 10_000 {
                _ = try database.append((0..<50).map { StoreBench.event($0) })
                stored += 50
            }
        }
        #expect(stored > 0 && stored < 10_000)
        let state = database.state
        #expect(throws: DiskFault.full) { try database.append((0..<500).map { StoreBench.event($0) }) }
        #expect(database.state == state)
        try database.connection.execute("PRAGMA max_page_count=10000")
        #expect(try database.append([StoreBench.event()]) == [.stored(state.last + 1)])
        let report = try bench.verify()
        #expect(report.isSound && report.count == UInt64(stored) + 2)
    }

    @Test func aDatabaseThatMayNotBeWrittenSaysSo() throws {
        let database = try StoreBench().database()
        try database.connection.execute("PRAGMA query_only=ON")
        #expect(throws: DiskFault.readOnly) { try database.append([StoreBench.event()]) }
        try database.connection.execute("PRAGMA query_only=OFF")
        #expect(try database.append([StoreBench.event()]) == [.stored(1)])
    }

    @Test func otherFilesAreNotTakenForALog() throws {
        let bench = try StoreBench()
        #expect(throws: DiskFault.cannotOpen) { try EventArchive(directory: bench.directory) }
        try bench.tamper("CREATE TABLE t (x); PRAGMA user_version=3")
        #expect(throws: DiskFault.damaged) { try EventArchive(directory: bench.directory) }
        try bench.tamper("PRAGMA application_id=\(EventDatabase.applicationID); PRAGMA user_version=99")
        #expect(throws: DiskFault.laterVersion) { try EventArchive(directory: bench.directory) }
    }

    /// The first form, which kept the blacklist in the log as well, was never released.
    @Test func aLogOfTheFirstFormIsPutAside() throws {
        let bench = try StoreBench()
        try bench.fill(3)
        try bench.tamper("PRAGMA user_version=1")
        #expect(throws: DiskFault.damaged) { try EventArchive(directory: bench.directory) }
        #expect(try bench.database().state.last == 4)
        #expect(bench.names.contains("events.db.damaged-1"))
    }

    /// The newest record that names the policy counts; one that was tampered with does not.
    @Test func theNewestWitnessOfThePolicyCounts() throws {
        let bench = try StoreBench()
        let database = try bench.database()
        #expect(try database.connection.policyGeneration(key: bench.key) == 0)
        for mark: UInt64 in 1...12 {
            var event = StoreBench.event(0, .blacklistChanged)
            event.mark = mark
            var other = StoreBench.event(0, .granted)
            other.mark = 99
            _ = try database.append([event, other])
        }
        #expect(try database.connection.policyGeneration(key: bench.key) == 12)
        try bench.tamper("DELETE FROM event WHERE sequence = 22")
        try bench.tamper(
            """
            UPDATE event SET record = CAST(substr(record, 1, 34) || x'FF' || substr(record, 36) AS BLOB)
            WHERE sequence = 21
            """)
        // 23 has lost the record before it, and 21 is not what it was.
        #expect(try database.connection.policyGeneration(key: bench.key) == 10)
        let other = try #require(AuditKey([UInt8](repeating: 8, count: 32)))
        #expect(try EventArchive(directory: bench.directory).policyGeneration(key: other) == 0)
    }

    @Test func theSystemLogIsARing() throws {
        let database = try StoreBench().database()
        for line in 0..<SystemLine.limit + 10 {
            let line = SystemLine(
                time: StoreBench.time, severity: .warning, file: "a.swift", line: UInt32(line), message: "m")
            try database.append([line])
        }
        let all = try database.connection.systemLines(SystemLineQuery(limit: 1000))
        #expect(all.count == SystemLine.limit && all[0].sequence == 11 && all[0].line == 10)
        #expect(all[0].phoneEntry.sequenceId == 11)
        try database.clearSystemLog()
        #expect(try database.connection.systemLines(SystemLineQuery(limit: 1000)) == [])
    }
}
