// SPDX-License-Identifier: Apache-2.0

import Glibc
import Reader
import TestSupport
import Testing

@testable import EventStore

/// A log that is damaged at any place, and found to be so at any moment: the reader writes on, and what could be read
/// is in the new log or in a file beside it (docs/operate/faults.md).
@Suite("a damaged log") struct DamageTests {
    private static let pageSize = 4096
    /// As many records as fill several pages.
    private static let count = 150

    /// A log that ended in order.
    private func filled() throws -> StoreBench {
        let bench = try StoreBench()
        let database = try bench.database()
        for start in stride(from: 0, to: DamageTests.count, by: 10) {
            _ = try database.append((start..<start + 10).map { StoreBench.event($0) })
        }
        let line = SystemLine(time: StoreBench.time, severity: .warning, file: "a.swift", line: 1, message: "m")
        try database.append([line])
        _ = try database.slice(from: 1, limit: 1)
        database.finish()
        return bench
    }

    private func pages(of bench: StoreBench) throws -> Int {
        try bench.octets(of: "events.db").count / DamageTests.pageSize
    }

    /// Ways to damage a page.
    enum Damage: CaseIterable {
        case zeros
        case noise
        case half
        case text

        func applied(to page: ArraySlice<UInt8>) -> [UInt8] {
            switch self {
            case .zeros: [UInt8](repeating: 0, count: page.count)
            case .noise: page.indices.map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
            case .half: Array(page.prefix(page.count / 2)) + [UInt8](repeating: 0, count: page.count / 2)
            case .text: [UInt8](repeating: 0x5A, count: page.count)
            }
        }
    }

    private func damage(_ page: Int, _ damage: Damage, of name: String, in bench: StoreBench) throws {
        var octets = try bench.octets(of: name)
        let range = page * DamageTests.pageSize..<min((page + 1) * DamageTests.pageSize, octets.count)
        octets.replaceSubrange(range, with: damage.applied(to: octets[range]))
        try bench.overwrite(name, with: octets)
    }

    /// The log writes and reads, gives no number twice, keeps the records that the damage has left, and tells what is
    /// not as it was. Returns the number of the records from before.
    @discardableResult private func expectSound(
        _ bench: StoreBench, _ store: SyncStore, _ note: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> Int {
        guard case .appended(let sequence, let state) = store.ask(.append(StoreBench.event(999))) else {
            Issue.record("\(note): it takes no record", sourceLocation: sourceLocation)
            return 0
        }
        #expect(sequence > UInt64(DamageTests.count), "\(note)", sourceLocation: sourceLocation)
        guard case .events(let records) = store.ask(.events(AuditQuery(includesCleared: true))) else {
            Issue.record("\(note): it cannot be read", sourceLocation: sourceLocation)
            return 0
        }
        let former = records.filter { $0.sequence <= DamageTests.count }
        #expect(former.allSatisfy { $0.event == StoreBench.event(Int($0.sequence) - 1) }, "\(note)")
        if former.count < DamageTests.count {
            #expect(records.contains { $0.event.kind == .logLost }, "\(note)", sourceLocation: sourceLocation)
            #expect(state.loss != nil, "\(note)", sourceLocation: sourceLocation)
        }
        if state.loss != nil, state.loss?.contains("damaged-") == true {
            #expect(bench.names.contains { $0.hasPrefix("events.db") && $0.contains(".damaged-1") }, "\(note)")
        }
        for request in [StoreRequest.systemLines(SystemLineQuery(limit: 10)), .counters, .slice(from: 1, limit: 10)] {
            if case .failed(let fault) = store.ask(request) {
                Issue.record("\(note): \(request) fails: \(fault)", sourceLocation: sourceLocation)
            }
        }
        return former.count
    }

    @Test("any page of the file, before the log is opened", arguments: Damage.allCases)
    func atTheStart(damage: Damage) throws {
        let pages = try pages(of: try filled())
        #expect(pages >= 10)
        var (kept, whole) = (0, 0)
        for page in 0..<pages {
            let bench = try filled()
            try self.damage(page, damage, of: "events.db", in: bench)
            let store = try SyncStore(bench)
            let former = try expectSound(bench, store, "page \(page), \(damage)")
            kept += former
            if former == DamageTests.count { whole += 1 }
            store.close()
            // What is in the new log is authentic; what is missing is said to be missing.
            let findings = try bench.verify().findings
            for finding in findings {
                switch finding {
                case .missing, .lost: break
                default: Issue.record("page \(page), \(damage): \(finding)")
                }
            }
        }
        // The first page has the tables, and one or two others lead to all records; others hide a dozen each.
        #expect(kept > (pages - 3) * (DamageTests.count - 20), "\(kept) of \(pages) × \(DamageTests.count)")
        #expect(whole >= 3, "pages without records")
    }

    @Test("any page of the file, while the log is in use", arguments: Damage.allCases)
    func whileItIsOpen(damage: Damage) throws {
        for page in 0..<(try pages(of: try filled())) {
            let bench = try filled()
            let store = try SyncStore(bench)
            _ = store.ask(.counters)
            try self.damage(page, damage, of: "events.db", in: bench)
            try expectSound(bench, store, "page \(page), \(damage)")
            // Also the pages that only a long log, or a cleared one, touches.
            for _ in 0..<40 {
                guard case .appended = store.ask(.append(StoreBench.event(1000))) else {
                    Issue.record("page \(page), \(damage): an append fails")
                    break
                }
            }
            if case .failed(let fault) = store.ask(.clearSystemLog) { Issue.record("page \(page): \(fault)") }
            guard case .appended = store.ask(.append(StoreBench.event(0, .logCleared))) else {
                Issue.record("page \(page), \(damage): the log cannot be cleared")
                continue
            }
            store.close()
            let next = try SyncStore(bench)
            guard case .appended = next.ask(.append(StoreBench.event(1001))) else {
                Issue.record("page \(page), \(damage): the next start")
                continue
            }
        }
    }

    @Test("any page of the journal, left by a reader that was killed", arguments: Damage.allCases)
    func journal(damage: Damage) throws {
        let bench = try StoreBench()
        let killed = try bench.database()
        for info in 0..<DamageTests.count { _ = try killed.append([StoreBench.event(info)]) }
        let files = try ["events.db", "events.db-wal", "events.db-shm", "events.head"].map {
            ($0, try bench.octets(of: $0))
        }
        let frames = files[1].1.count / DamageTests.pageSize
        #expect(frames > 100)
        for frame in stride(from: 0, to: frames, by: 13) {
            let other = try StoreBench()
            for (name, octets) in files { try other.overwrite(name, with: octets) }
            try self.damage(frame, damage, of: "events.db-wal", in: other)
            let store = try SyncStore(other)
            let former = try expectSound(other, store, "journal page \(frame), \(damage)")
            if former < DamageTests.count {
                #expect(other.names.contains("events.db-wal.damaged-1"), "journal page \(frame)")
            }
        }
        // The index is made again from the journal.
        for page in 0..<files[2].1.count / DamageTests.pageSize {
            let other = try StoreBench()
            for (name, octets) in files { try other.overwrite(name, with: octets) }
            try self.damage(page, damage, of: "events.db-shm", in: other)
            let former = try expectSound(other, try SyncStore(other), "index page \(page), \(damage)")
            #expect(former == DamageTests.count)
        }
    }

    @Test("each file of the log empty, zeroed, halved, of another version, of another type")
    func files() throws {
        for name in ["events.db", "events.db-wal", "events.db-shm", "events.head", "events.lock"] {
            for (what, change) in StateFileDamage.all {
                let bench = try filled()
                try change(bench.directory, name)
                let note = "\(name) \(what)"
                let former = try expectSound(bench, try SyncStore(bench), note)
                if name != "events.db" { #expect(former == DamageTests.count, "\(note)") }
            }
        }
    }

    @Test("a log of a later version is put aside, and a new one begun")
    func laterVersion() throws {
        let bench = try filled()
        try bench.tamper("PRAGMA user_version=99")
        let store = try SyncStore(bench)
        try expectSound(bench, store, "later version")
        #expect(bench.names.contains("events.db.later-1"))
        guard case .appended(_, let state) = store.ask(.append(StoreBench.event())) else { return }
        #expect(
            state.loss
                == "the file is of a later version, and renamed to events.db.later-1; 0 records were taken over")
    }

    @Test("the identifier of the log is that of before, for the fleet, as long as records are")
    func identifier() throws {
        let bench = try filled()
        let store = try SyncStore(bench)
        guard case .slice(let before) = store.ask(.slice(from: 1, limit: 1)) else { return }
        store.close()
        let last = try pages(of: bench) - 2
        try damage(last, .noise, of: "events.db", in: bench)
        guard case .slice(let after) = try SyncStore(bench).ask(.slice(from: 1, limit: 1)) else { return }
        #expect(before.log == after.log && before.log.count == 16)
    }

    @Test("records that another wrote into the damaged file are not taken over")
    func forged() throws {
        let bench = try filled()
        // Numbers 40 to 49 with another content; 40 is then no successor, and 41 none of it.
        try bench.tamper(
            """
            UPDATE event SET record = CAST(substr(record, 1, 9) || x'63' || substr(record, 11) AS BLOB)
            WHERE sequence BETWEEN 40 AND 49
            """)
        try bench.tamper("DROP TABLE checkpoint")
        let store = try SyncStore(bench)
        guard case .events(let records) = store.ask(.events(AuditQuery(includesCleared: true))) else { return }
        let former = records.filter { $0.sequence <= DamageTests.count }
        #expect(!former.contains { (40...49).contains($0.sequence) })
        #expect(former.allSatisfy { $0.event == StoreBench.event(Int($0.sequence) - 1) })
        #expect(former.count > 100)
    }

    @Test("a disk that damages one file after the other does not fill with them")
    func limit() throws {
        let bench = try filled()
        for _ in 0..<12 {
            try damage(0, .text, of: "events.db", in: bench)
            let store = try SyncStore(bench)
            guard case .appended = store.ask(.append(StoreBench.event())) else {
                Issue.record("no log")
                return
            }
            store.close()
        }
        let aside = bench.names.filter { $0.hasPrefix("events.db.damaged-") && !$0.contains("-wal") }
        #expect(aside.contains("events.db.damaged-12") && !aside.contains("events.db.damaged-4"))
        #expect(aside.filter { !$0.contains("-shm") }.count == 8)
    }
}
