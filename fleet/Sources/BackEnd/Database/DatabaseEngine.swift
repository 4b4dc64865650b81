// SPDX-License-Identifier: Apache-2.0

/// A failure of a database.
public struct DatabaseFault: Error {
    /// The cause, in one line.
    public var text: String
    /// True if the server has failed and may recover: the operation may be repeated over a new connection.
    var isPassing = false
}

/// The value of a statement's parameter.
enum DatabaseValue {
    case number(Int64)
    case text(String)
}

/// A row of an answer, whose columns are counted from 0. It is valid until the next one.
protocol DatabaseRow {
    /// The number in a column; nil for null.
    func number(_ column: Int32) -> Int64?
    /// The text in a column; empty for null.
    func text(_ column: Int32) -> String
}

/// A connection to a database, SQLite's or PostgreSQL's, for one thread.
///
/// Both execute the same statements, with the parameters `?1`, `?2` and so on. The properties name the differences.
protocol DatabaseEngine: AnyObject {
    /// The type of a column with 64-bit numbers.
    var numberType: String { get }
    /// The options after a table's columns.
    var tableOptions: String { get }
    /// The statement that begins a writing transaction.
    var beginning: String { get }

    /// Creates the place for the tables, unless it exists.
    func makePlace() throws(DatabaseFault)
    /// Runs statements without parameters and rows.
    func execute(_ statements: String) throws(DatabaseFault)
    /// Runs a statement, and converts its rows by `take`.
    func rows<Result>(
        _ statement: String, _ values: [DatabaseValue], _ take: (any DatabaseRow) -> Result
    ) throws(DatabaseFault) -> [Result]
}

extension DatabaseEngine {
    /// Runs a statement without rows.
    public func run(_ statement: String, _ values: DatabaseValue...) throws(DatabaseFault) {
        _ = try rows(statement, values) { _ in }
    }

    /// Runs `body` in a transaction. On return all its changes are on the disk; if `body` throws, none is. Without
    /// the answer to COMMIT either may be the case.
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
