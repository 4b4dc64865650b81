// SPDX-License-Identifier: Apache-2.0

import Crypto
import JSON
import LockChannel
import System

/// The connection to the reader, in messages of the lock.
final class ReaderConnection {
    /// A change of the connection.
    enum Event {
        /// A message of the reader.
        case report(LockReport)
        /// The connection is lost, or cannot be opened. The same reason is reported once.
        case lost(String)
    }

    private let connection: CompanionConnection

    /// Creates a connection to the reader at this socket, which begins with `start`.
    init(_ path: String, _ reactor: Reactor) {
        connection = CompanionConnection(path, lineLimit: LockChannelLimits.lineCount, reactor)
    }

    /// Connects, and calls `handle` with each change.
    func start(_ handle: @escaping (Event) -> Void) {
        connection.start { [unowned connection] event in
            switch event {
            case .lost(let reason): handle(.lost(reason))
            case .line(let line):
                do throws(JSONPlaceFault) { handle(.report(try LockReport(line: line))) } catch {
                    connection.lose(
                        "the reader sent an invalid message: \(error); is it of another version?")
                }
            }
        }
    }

    /// Ends the connection.
    func close() { connection.close() }

    /// Sends a message; false while there is no connection.
    @discardableResult
    func send(_ request: LockRequest) -> Bool {
        var line = request.line
        defer { wipeSecret(&line) }
        return connection.send(line)
    }

    /// Closes the connection, and opens it again later.
    func lose(_ reason: String) { connection.lose(reason) }
}
