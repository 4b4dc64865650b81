// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Glibc

/// A separate schema in a database of a PostgreSQL server.
final class PostgreSQLEngine: DatabaseEngine {
    /// The schema with the tables.
    private static let schema = "readerd"

    let numberType = "BIGINT"
    let tableOptions = ""
    let beginning = "BEGIN"

    private let connection: PostgreSQLConnection

    /// Connects to a server, which must store commits durably.
    ///
    /// As for all programs of PostgreSQL, the environment supplies the parameters that the URI and its service omit.
    /// Over a network the server must prove its identity, unless a parameter says otherwise.
    init(uri: String, isReading: Bool) throws(DatabaseFault) {
        setenv("PGSSLMODE", "verify-full", 0)
        setenv("PGCONNECT_TIMEOUT", "\(PostgreSQLConnection.connectSeconds)", 0)
        connection = try PostgreSQLConnection(uri: uri)
        try execute("SET client_min_messages TO warning; SET search_path TO \(PostgreSQLEngine.schema)")
        if isReading {
            try execute("SET default_transaction_read_only TO on")
            guard try hasPlace() else { throw DatabaseFault(text: "has no tables; readerlab fleet collect makes them") }
            return
        }
        let settings = try rows(
            "SELECT current_setting('fsync'), current_setting('server_encoding'), "
                + "current_setting('synchronous_commit')", []
        ) { ($0.text(0), $0.text(1), $0.text(2)) }
        guard let (synchronisation, encoding, commit) = settings.first else { return }
        guard synchronisation == "on" else {
            throw DatabaseFault(text: "the server has fsync = off, and loses events in a power cut; set it on")
        }
        guard encoding == "UTF8" else {
            throw DatabaseFault(
                text: "has the encoding \(encoding); make the database with: createdb --encoding UTF8 "
                    + "--template template0")
        }
        if !["on", "remote_apply"].contains(commit) { try execute("SET synchronous_commit TO on") }
    }

    func makePlace() throws(DatabaseFault) {
        // A user of an existing schema may lack the right to create one.
        if try !hasPlace() { try execute("CREATE SCHEMA \(PostgreSQLEngine.schema)") }
    }

    private func hasPlace() throws(DatabaseFault) -> Bool {
        try !rows("SELECT 1 FROM pg_namespace WHERE nspname = ?1", [.text(PostgreSQLEngine.schema)]) { _ in }.isEmpty
    }

    func execute(_ statements: String) throws(DatabaseFault) {
        _ = try connection.answer(to: statements)
    }

    func rows<Result>(
        _ statement: String, _ values: [DatabaseValue], _ take: (any DatabaseRow) -> Result
    ) throws(DatabaseFault) -> [Result] {
        let texts = values.map { value in
            switch value {
            case .number(let number): "\(number)"
            case .text(let text): text
            }
        }
        // PostgreSQL's parameters are $1, $2. Question marks occur only in parameters.
        let answer = try connection.answer(to: statement.replacing("?", with: "$"), texts)
        return (0..<answer.count).map { take(PostgreSQLRow(answer: answer, index: $0)) }
    }
}

private struct PostgreSQLRow: DatabaseRow {
    let answer: PostgreSQLAnswer
    let index: Int32

    func number(_ column: Int32) -> Int64? { Int64(text(column)) }
    func text(_ column: Int32) -> String { answer.text(index, column) }
}
