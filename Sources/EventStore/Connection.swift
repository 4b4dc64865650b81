// SPDX-License-Identifier: Apache-2.0

import CSQLite
public import Reader

/// A connection to an SQLite database, for one thread.
public final class Connection {
    /// The access mode.
    public enum Access {
        /// Read and write; a missing database is created.
        case writing
        /// Read only, concurrently with a writer.
        case reading
    }

    private let handle: OpaquePointer
    private var statements: [String: Statement] = [:]

    /// True once SQLite opens regular files alone.
    private static let opensRegularFilesAlone = readerd_sqlite_open_regular_files() == SQLITE_OK

    /// Opens a database, which is a regular file.
    public init(path: String, _ access: Access) throws(DiskFault) {
        guard Connection.opensRegularFilesAlone else { throw .cannotOpen }
        let flags =
            switch access {
            case .writing: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
            case .reading: SQLITE_OPEN_READONLY
            }
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(path, &handle, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nil)
        guard let handle else { throw .other }
        self.handle = handle
        guard code == SQLITE_OK else {
            sqlite3_close_v2(handle)
            throw DiskFault(sqlite: code)
        }
        sqlite3_extended_result_codes(handle, 1)
        // For a concurrent reader or the end of another process; there is never a second writer.
        sqlite3_busy_timeout(handle, 250)
    }

    /// Statements are finalised before the connection or together with it.
    deinit { sqlite3_close_v2(handle) }

    /// Runs statements without parameters and results.
    public func execute(_ sql: String) throws(DiskFault) {
        try check(sqlite3_exec(handle, sql, nil, nil, nil))
    }

    /// Returns the statement, compiled once and reset.
    public func prepare(_ sql: String) throws(DiskFault) -> Statement {
        if let statement = statements[sql] {
            statement.reset()
            return statement
        }
        var compiled: OpaquePointer?
        try check(sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &compiled, nil))
        guard let compiled else { throw .other }
        let statement = Statement(compiled, of: self)
        statements[sql] = statement
        return statement
    }

    /// Returns the number in the first row's first column; nil if there is no row or the value is null.
    public func number(_ sql: String) throws(DiskFault) -> Int64? {
        let statement = try prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.optionalInteger(0) : nil
    }

    /// Returns the text in the first row's first column; nil if there is no row.
    public func text(_ sql: String) throws(DiskFault) -> String? {
        let statement = try prepare(sql)
        defer { statement.reset() }
        return try statement.step() ? statement.text(0) : nil
    }

    /// Runs `body` in a transaction. On return all of it is on the disk; if `body` throws, nothing of it is. With
    /// `reading`, `body` sees the database at the time of its first statement.
    public func transaction<Result>(
        reading: Bool = false, _ body: () throws(DiskFault) -> Result
    ) throws(DiskFault) -> Result {
        try execute(reading ? "BEGIN" : "BEGIN IMMEDIATE")
        do throws(DiskFault) {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // After some errors SQLite has already rolled back.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// The number of rows changed by the last statement.
    var changes: Int { Int(sqlite3_changes(handle)) }

    func check(_ code: Int32) throws(DiskFault) {
        guard code == SQLITE_OK || code == SQLITE_ROW || code == SQLITE_DONE else { throw DiskFault(sqlite: code) }
    }

    /// A statement of the connection.
    public final class Statement {
        private let compiled: OpaquePointer
        private unowned let connection: Connection

        fileprivate init(_ compiled: OpaquePointer, of connection: Connection) {
            self.compiled = compiled
            self.connection = connection
        }

        deinit { sqlite3_finalize(compiled) }

        /// Ends a run, and releases its locks on the database.
        public func reset() {
            sqlite3_reset(compiled)
            sqlite3_clear_bindings(compiled)
        }

        /// Binds a number to the parameter, counted from 1.
        @discardableResult public func bind(_ index: Int32, _ value: Int64) throws(DiskFault) -> Statement {
            try connection.check(sqlite3_bind_int64(compiled, index, value))
            return self
        }

        /// Binds octets to the parameter, counted from 1.
        @discardableResult public func bind(_ index: Int32, _ octets: [UInt8]) throws(DiskFault) -> Statement {
            let code = octets.withUnsafeBytes { octets in
                readerd_sqlite_bind_octets(compiled, index, octets.baseAddress, octets.count)
            }
            try connection.check(code)
            return self
        }

        /// Binds text to the parameter, counted from 1.
        @discardableResult public func bind(_ index: Int32, _ text: String) throws(DiskFault) -> Statement {
            var text = text
            let code = text.withUTF8 { octets in
                octets.withMemoryRebound(to: CChar.self) { text in
                    readerd_sqlite_bind_text(compiled, index, text.baseAddress, text.count)
                }
            }
            try connection.check(code)
            return self
        }

        /// Advances to the next row; false after the last.
        public func step() throws(DiskFault) -> Bool {
            let code = sqlite3_step(compiled)
            try connection.check(code)
            return code == SQLITE_ROW
        }

        /// Runs a statement that has no rows.
        public func run() throws(DiskFault) {
            defer { reset() }
            _ = try step()
        }

        /// The number in a column, counted from 0.
        public func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(compiled, column) }

        /// The number in a column, counted from 0; nil for null.
        public func optionalInteger(_ column: Int32) -> Int64? {
            sqlite3_column_type(compiled, column) == SQLITE_NULL ? nil : integer(column)
        }

        /// The octets in a column, counted from 0.
        public func octets(_ column: Int32) -> [UInt8] {
            // Order matters: the count is of the last conversion (SQLite, "sqlite3_column_blob").
            guard let start = sqlite3_column_blob(compiled, column) else { return [] }
            let count = Int(sqlite3_column_bytes(compiled, column))
            return Array(UnsafeRawBufferPointer(start: start, count: count))
        }

        /// The text in a column, counted from 0.
        public func text(_ column: Int32) -> String { String(decoding: octets(column), as: UTF8.self) }
    }
}

extension DiskFault {
    /// The fault for a result code of SQLite.
    init(sqlite code: Int32) {
        switch code & 0xFF {
        case SQLITE_FULL: self = .full
        case SQLITE_IOERR: self = .inputOutput
        case SQLITE_READONLY, SQLITE_PERM: self = .readOnly
        // The statements are fixed: what they do not find, or find twice, is damage.
        case SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_ERROR, SQLITE_CONSTRAINT, SQLITE_MISMATCH, SQLITE_FORMAT:
            self = .damaged
        case SQLITE_CANTOPEN: self = .cannotOpen
        case SQLITE_BUSY, SQLITE_LOCKED: self = .inUse
        default: self = .other
        }
    }
}
