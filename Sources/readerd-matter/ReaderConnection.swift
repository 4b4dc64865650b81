// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import JSON
import LockChannel
import System
import Timekeeping

/// The connection to the reader. A lost one is opened again every second.
final class ReaderConnection {
    /// A change of the connection.
    enum Event {
        /// A message of the reader.
        case report(LockReport)
        /// The connection is lost, or cannot be opened. The same reason is told once.
        case lost(String)
    }

    private static let retry = Duration.seconds(1)
    /// The maximum number of octets that wait for the reader.
    private static let waitingLimit = 64 * 1024

    private let path: String
    private let reactor: Reactor
    private var socket: LineSocket?
    private var toldReason: String?
    private var handle: (Event) -> Void = { _ in }

    /// A connection to the reader at this socket, for `start`.
    init(_ path: String, _ reactor: Reactor) {
        self.path = path
        self.reactor = reactor
    }

    /// Connects, and calls `handle` with each change from then on.
    func start(_ handle: @escaping (Event) -> Void) {
        self.handle = handle
        open()
    }

    /// Ends the connection.
    func close() {
        handle = { _ in }
        socket = nil
    }

    /// Sends a message; false while there is no connection.
    @discardableResult
    func send(_ request: LockRequest) -> Bool {
        guard let socket else { return false }
        socket.send(request.line)
        update(socket)
        return self.socket != nil
    }

    private func open() {
        var isConnecting = false
        let descriptor = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        guard descriptor >= 0 else { return lose("cannot connect: \(String(cString: strerror(-descriptor)))") }
        let socket = LineSocket(
            descriptor, lineLimit: LockChannelLimits.lineCount, waitingLimit: ReaderConnection.waitingLimit)
        do throws(SystemError) {
            try socket.watch(on: reactor) { [weak self] in self?.serve() }
        } catch {
            return lose("\(error)")
        }
        self.socket = socket
    }

    private func serve() {
        guard let socket else { return }
        socket.receive()
        socket.flush()
        while self.socket === socket, let line = socket.nextLine() {
            do throws(JSONPlaceFault) {
                let report = try LockReport(line: line)
                toldReason = nil
                handle(.report(report))
            } catch {
                return lose("the reader sent what is no message: \(error); is it of another version?")
            }
        }
        if socket.isTooLong { return lose("the reader sent a line of more than \(LockChannelLimits.lineCount) octets") }
        update(socket)
    }

    private func update(_ socket: LineSocket) {
        guard self.socket === socket else { return }
        socket.updateInterest()
        if socket.isLost || socket.inputHasEnded { lose("the reader has closed it") }
    }

    /// Loses the connection, and opens it again later.
    func lose(_ reason: String) {
        socket = nil
        if reason != toldReason { handle(.lost(reason)) }
        toldReason = reason
        reactor.schedule(at: reactor.now + ReaderConnection.retry) { [weak self] in
            if let self, socket == nil { open() }
        }
    }
}
