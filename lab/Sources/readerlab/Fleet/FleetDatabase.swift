// SPDX-License-Identifier: Apache-2.0

import EventStore
import Fleet
import Glibc
import Reader

/// The collector's database: each event once, and how far the log of each reader is stored.
///
/// A batch is applied as a whole, with its mark, in one transaction: what the mark says is on the disk.
final class FleetDatabase {
    /// The state of one reader, for a table.
    struct Reader: Equatable {
        /// The identifier in topics.
        var device: String
        /// The display name.
        var name: String
        /// True if its link says that it is there; nil if it never has.
        var isOnline: Bool?
        /// Its retained state, JSON; empty if there was none.
        var state: String
        /// The number of events.
        var events: Int
        /// The number of events that are lost.
        var lost: Int
        /// The number of events that were sent again with other contents.
        var conflicts: Int
        /// The last event, JSON; empty if there is none.
        var last: String
    }

    let connection: Connection

    /// "RDFC"; distinguishes the database from those of other programs.
    private static let applicationID: Int64 = 0x5244_4643

    /// Opens the database, and makes its tables.
    init(path: String) throws(EmulationError) {
        // SQLite would create it readable for every user: it says who went where.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw EmulationError(code: 2, "\(path): cannot open it: \(String(cString: strerror(errno)))")
        }
        close(descriptor)
        do throws(DiskFault) {
            connection = try Connection(path: path, .writing)
            let application = try connection.number("PRAGMA application_id") ?? 0
            let tables = try connection.number("SELECT count(*) FROM sqlite_master") ?? 0
            guard application == FleetDatabase.applicationID || tables == 0 else {
                throw .damaged
            }
            try connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL")
            try FleetDatabase.make(connection)
        } catch {
            throw EmulationError(code: 2, "\(path): \(error.summary); is it a database of readerlab fleet?")
        }
    }

    /// Opens the database of a collector, which may run, to look at it.
    init(reading path: String) throws(EmulationError) {
        do throws(DiskFault) {
            connection = try Connection(path: path, .reading)
            guard try connection.number("PRAGMA application_id") == FleetDatabase.applicationID else { throw .damaged }
        } catch {
            throw EmulationError(code: 2, "\(path): \(error.summary); is it a database of readerlab fleet?")
        }
    }

    private static func make(_ connection: Connection) throws(DiskFault) {
        try connection.transaction { () throws(DiskFault) in
            try connection.execute(
                """
                CREATE TABLE IF NOT EXISTS reader (
                    device TEXT PRIMARY KEY, name TEXT NOT NULL, online INTEGER, state TEXT NOT NULL DEFAULT ''
                ) STRICT;
                CREATE TABLE IF NOT EXISTS log (
                    device TEXT NOT NULL, log TEXT NOT NULL, mark INTEGER NOT NULL, chain TEXT NOT NULL,
                    PRIMARY KEY (device, log)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS event (
                    device TEXT NOT NULL, log TEXT NOT NULL, sequence INTEGER NOT NULL, received INTEGER NOT NULL,
                    document TEXT NOT NULL, PRIMARY KEY (device, log, sequence)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS gap (
                    device TEXT NOT NULL, log TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,
                    received INTEGER NOT NULL, PRIMARY KEY (device, log, first)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE IF NOT EXISTS conflict (
                    device TEXT NOT NULL, log TEXT NOT NULL, sequence INTEGER NOT NULL, received INTEGER NOT NULL,
                    document TEXT NOT NULL, PRIMARY KEY (device, log, sequence)
                ) STRICT, WITHOUT ROWID;
                PRAGMA application_id = \(applicationID);
                """)
        }
    }

    // MARK: - Readers

    /// Adds a reader, or names it anew.
    func name(_ device: String, _ name: String) throws(DiskFault) {
        try connection.prepare(
            "INSERT INTO reader (device, name) VALUES (?1, ?2) ON CONFLICT (device) DO UPDATE SET name = ?2"
        ).bind(1, device).bind(2, name).run()
    }

    /// Notes the presence of a reader.
    func note(_ device: String, isOnline: Bool) throws(DiskFault) {
        try connection.prepare("UPDATE reader SET online = ?2 WHERE device = ?1")
            .bind(1, device).bind(2, isOnline ? 1 : 0).run()
    }

    /// Notes the state of a reader.
    func note(_ device: String, state: String) throws(DiskFault) {
        try connection.prepare("UPDATE reader SET state = ?2 WHERE device = ?1").bind(1, device).bind(2, state).run()
    }

    // MARK: - Events

    /// The mark in a reader's log; 0 if nothing is stored.
    func mark(_ device: String, _ log: LogID) throws(DiskFault) -> UInt64 {
        let row = try connection.prepare("SELECT mark FROM log WHERE device = ?1 AND log = ?2")
            .bind(1, device).bind(2, log.description)
        defer { row.reset() }
        return try row.step() ? UInt64(clamping: row.integer(0)) : 0
    }

    /// Stores what is new of a batch after a mark. One that begins beyond the mark is left: the reader sends from the
    /// mark again.
    ///
    /// - Returns: the events that were stored, as JSON.
    func store(_ batch: EventBatch, after mark: UInt64, received: Int64) throws(DiskFault) -> [String] {
        guard batch.first <= mark + 1, batch.last > mark else { return [] }
        let begin = batch.gap.map { $0.upperBound + 1 } ?? batch.first
        let new = batch.events.enumerated().map { (sequence: begin + UInt64($0.offset), event: $0.element) }
            .filter { $0.sequence > mark }
        try connection.transaction { () throws(DiskFault) in
            for (sequence, event) in new {
                try connection.prepare(
                    "INSERT INTO event (device, log, sequence, received, document) VALUES (?1, ?2, ?3, ?4, ?5)"
                ).bind(1, batch.device).bind(2, batch.log.description).bind(3, Int64(clamping: sequence))
                    .bind(4, received).bind(5, event).run()
            }
            if let gap = batch.gap, gap.upperBound > mark { try store(gap, after: mark, batch, received) }
            try connection.prepare("INSERT OR REPLACE INTO log (device, log, mark, chain) VALUES (?1, ?2, ?3, ?4)")
                .bind(1, batch.device).bind(2, batch.log.description).bind(3, Int64(clamping: batch.last))
                .bind(4, batch.chain).run()
        }
        return new.map(\.event)
    }

    private func store(
        _ gap: ClosedRange<UInt64>, after mark: UInt64, _ batch: EventBatch, _ received: Int64
    ) throws(DiskFault) {
        try connection.prepare("INSERT INTO gap (device, log, first, last, received) VALUES (?1, ?2, ?3, ?4, ?5)")
            .bind(1, batch.device).bind(2, batch.log.description).bind(
                3, Int64(clamping: max(gap.lowerBound, mark + 1))
            )
            .bind(4, Int64(clamping: gap.upperBound)).bind(5, received).run()
    }

    // MARK: - Overview

    /// Every reader, by name.
    func readers() throws(DiskFault) -> [Reader] {
        let rows = try connection.prepare(
            """
            SELECT device, name, online, state, (SELECT count(*) FROM event WHERE device = reader.device),
                (SELECT coalesce(sum(last - first + 1), 0) FROM gap WHERE device = reader.device),
                (SELECT count(*) FROM conflict WHERE device = reader.device),
                (SELECT document FROM event WHERE device = reader.device ORDER BY received DESC, sequence DESC LIMIT 1)
            FROM reader ORDER BY name, device
            """)
        defer { rows.reset() }
        var readers: [Reader] = []
        while try rows.step() {
            readers.append(
                Reader(
                    device: rows.text(0), name: rows.text(1), isOnline: rows.optionalInteger(2).map { $0 != 0 },
                    state: rows.text(3), events: Int(rows.integer(4)), lost: Int(rows.integer(5)),
                    conflicts: Int(rows.integer(6)), last: rows.text(7)))
        }
        return readers
    }
}
