// SPDX-License-Identifier: Apache-2.0

/// A failure of a database.
package struct DatabaseFault: Error {
    /// The cause, in one line.
    package var text: String
    /// True if it is the server's and may pass: the same may be tried again over a new connection.
    var isPassing = false
}

/// The value of a statement's parameter.
package enum DatabaseValue {
    case number(Int64)
    case text(String)
}

/// A row of an answer, whose columns are counted from 0. It is valid until the next one.
package protocol DatabaseRow {
    /// The number in a column; nil for null.
    func number(_ column: Int32) -> Int64?
    /// The text in a column; empty for null.
    func text(_ column: Int32) -> String
}

/// A connection to a database, for one thread: SQLite's or PostgreSQL's.
///
/// Both take the same statements, with the parameters `?1`, `?2` and so on. What differs is named here.
package protocol DatabaseEngine: AnyObject {
    /// The type of a column with numbers of 64 bits.
    var numberType: String { get }
    /// The options behind a table's columns.
    var tableOptions: String { get }
    /// The statement that begins a transaction which writes.
    var beginning: String { get }

    /// Makes the place for the tables, unless it is present.
    func makePlace() throws(DatabaseFault)
    /// Runs statements without parameters and rows.
    func execute(_ statements: String) throws(DatabaseFault)
    /// Runs a statement, and takes its rows.
    func rows<Result>(
        _ statement: String, _ values: [DatabaseValue], _ take: (any DatabaseRow) -> Result
    ) throws(DatabaseFault) -> [Result]
}

extension DatabaseEngine {
    /// Runs a statement without rows.
    package func run(_ statement: String, _ values: DatabaseValue...) throws(DatabaseFault) {
        _ = try rows(statement, values) { _ in }
    }

    /// Runs `body` in a transaction. On return all of it is on the disk; if `body` throws, nothing of it is. Without
    /// the answer to COMMIT it may be either.
    func transaction(_ body: () throws(DatabaseFault) -> Void) throws(DatabaseFault) {
        try execute(beginning)
        do throws(DatabaseFault) {
            try body()
            try execute("COMMIT")
        } catch {
            // The engine may have rolled back automatically.
            try? execute("ROLLBACK")
            throw error
        }
    }
}
