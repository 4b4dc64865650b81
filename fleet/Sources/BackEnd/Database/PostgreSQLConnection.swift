// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL
import Glibc
import System
import Timekeeping

/// A connection to a PostgreSQL server by libpq. A call waits a limited time for the server's answer.
final class PostgreSQLConnection {
    /// The default connection timeout in seconds; the environment or the URI may set another.
    static let connectSeconds = 5
    /// The longest time for an answer: enough for a commit on a busy server, and far less than the broker's keepalive.
    private static let answerWithin = Duration.seconds(10)
    /// The classes of SQLSTATE for temporary failures: connection, transaction, resources, shutdown, and system errors
    /// (PostgreSQL, appendix A).
    private static let passingClasses: Set = ["08", "40", "53", "57", "58"]
    /// The SQLSTATE of a standby that has not yet become the primary server.
    private static let isReadOnly = "25006"

    private let handle: OpaquePointer

    /// Connects.
    init(uri: String) throws(DatabaseFault) {
        guard let handle = PQconnectdb(uri) else { throw DatabaseFault(text: "out of memory") }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK, PQsetClientEncoding(handle, "UTF8") == 0,
            PQsetnonblocking(handle, 1) == 0
        else { throw lost }
    }

    deinit { PQfinish(handle) }

    /// The fault of a lost connection.
    private var lost: DatabaseFault {
        let text = String(cString: PQerrorMessage(handle)).prefix { $0 != "\n" }
        return DatabaseFault(text: text.isEmpty ? "the connection is lost" : String(text), isPassing: true)
    }

    /// Runs one statement with text parameters, or several statements without parameters.
    func answer(to statement: String, _ values: [String] = []) throws(DatabaseFault) -> PostgreSQLAnswer {
        try send(statement, values)
        let deadline = MonotonicClock.now + PostgreSQLConnection.answerWithin
        var last: PostgreSQLAnswer?
        var fault: DatabaseFault?
        while true {
            try wait(until: deadline)
            guard let result = PQgetResult(handle) else { break }
            last = PostgreSQLAnswer(result)
            fault = fault ?? self.fault(in: result)
        }
        if let fault { throw fault }
        guard let last else { throw lost }
        return last
    }

    private func send(_ statement: String, _ values: [String]) throws(DatabaseFault) {
        guard !values.contains(where: { $0.utf8.contains(0) }) else {
            throw DatabaseFault(text: "PostgreSQL keeps no text with the character NUL")
        }
        if values.isEmpty {
            guard PQsendQuery(handle, statement) == 1 else { throw lost }
            return
        }
        let copies = values.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        let pointers = copies.map { UnsafePointer($0) }
        guard PQsendQueryParams(handle, statement, Int32(values.count), nil, pointers, nil, nil, 0) == 1 else {
            throw lost
        }
    }

    /// Waits until the next result is complete. If the server does not answer in time, the connection is closed.
    private func wait(until deadline: Instant) throws(DatabaseFault) {
        while true {
            let flushed = PQflush(handle)
            guard flushed >= 0 else { throw lost }
            if flushed == 0, PQisBusy(handle) == 0 { return }
            let events = flushed > 0 ? POLLIN | POLLOUT : POLLIN
            var place = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
            let left = Int32(clamping: (deadline - MonotonicClock.now).wholeMilliseconds)
            guard left > 0 else {
                let seconds = PostgreSQLConnection.answerWithin.wholeMilliseconds / 1000
                throw DatabaseFault(text: "the server has not answered for \(seconds) s", isPassing: true)
            }
            if poll(&place, 1, left) > 0, place.revents & ~Int16(POLLOUT) != 0, PQconsumeInput(handle) == 0 {
                throw lost
            }
        }
    }

    private func fault(in result: OpaquePointer) -> DatabaseFault? {
        switch PQresultStatus(result) {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return nil
        default: break
        }
        guard PQstatus(handle) == CONNECTION_OK else { return lost }
        let state = PQresultErrorField(result, readerd_pg_state).map { String(cString: $0) } ?? ""
        let text = PQresultErrorField(result, readerd_pg_text).map { String(cString: $0) } ?? "failed"
        return DatabaseFault(
            text: text.onOneLine,
            isPassing: PostgreSQLConnection.passingClasses.contains(String(state.prefix(2)))
                || state == PostgreSQLConnection.isReadOnly)
    }
}

/// An answer of the server.
final class PostgreSQLAnswer {
    private let result: OpaquePointer

    fileprivate init(_ result: OpaquePointer) { self.result = result }

    deinit { PQclear(result) }

    /// The number of its rows.
    var count: Int32 { PQntuples(result) }

    /// The text in a row and a column, counted from 0; empty for null.
    func text(_ row: Int32, _ column: Int32) -> String { String(cString: PQgetvalue(result, row, column)) }
}
