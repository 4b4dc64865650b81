// SPDX-License-Identifier: Apache-2.0

import EventStore
import Glibc

/// An SQLite file.
final class SQLiteEngine: DatabaseEngine {
    /// "RDFC"; distinguishes the database from the files of other programs.
    private static let applicationID: Int64 = 0x5244_4643

    let numberType = "INTEGER"
    let tableOptions = "STRICT, WITHOUT ROWID"
    let beginning = "BEGIN IMMEDIATE"

    private let connection: Connection

    /// Opens a file. Unless it is only read, a missing file is created, readable by its owner only.
    init(path: String, isReading: Bool) throws(DatabaseFault) {
        if !isReading {
            // SQLite would make it readable by all users, and it records people's movements.
            let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw DatabaseFault(text: "cannot open it: \(String(cString: strerror(errno)))")
            }
            close(descriptor)
        }
        let application: Int64
        let tables: Int64
        do {
            connection = try Connection(path: path, isReading ? .reading : .writing)
            application = try connection.number("PRAGMA application_id") ?? 0
            tables = try connection.number("SELECT count(*) FROM sqlite_master") ?? 0
            if !isReading { try connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL") }
        } catch {
            throw DatabaseFault(text: "\(error); is it a database of readerlab fleet?")
        }
        guard application == SQLiteEngine.applicationID || (tables == 0 && !isReading) else {
            throw DatabaseFault(text: "is no database of readerlab fleet; name another file")
        }
    }

    func makePlace() throws(DatabaseFault) {
        try execute("PRAGMA application_id = \(SQLiteEngine.applicationID)")
    }

    func execute(_ statements: String) throws(DatabaseFault) {
        do { try connection.execute(statements) } catch { throw DatabaseFault(text: "\(error)") }
    }

    func rows<Result>(
        _ statement: String, _ values: [DatabaseValue], _ take: (any DatabaseRow) -> Result
    ) throws(DatabaseFault) -> [Result] {
        do {
            let prepared = try connection.prepare(statement)
            defer { prepared.reset() }
            for (index, value) in zip(Int32(1)..., values) {
                switch value {
                case .number(let number): try prepared.bind(index, number)
                case .text(let text): try prepared.bind(index, text)
                }
            }
            var results: [Result] = []
            while try prepared.step() { results.append(take(SQLiteRow(statement: prepared))) }
            return results
        } catch {
            throw DatabaseFault(text: "\(error)")
        }
    }
}

private struct SQLiteRow: DatabaseRow {
    let statement: Connection.Statement

    func number(_ column: Int32) -> Int64? { statement.optionalInteger(column) }
    func text(_ column: Int32) -> String { statement.text(column) }
}
