// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Timekeeping

/// A companion process's connection to its reader, in lines. A lost one is opened again every second.
public final class CompanionConnection {
    /// A change of the connection.
    public enum Event {
        /// A line of the reader. It is overwritten when the handler returns.
        case line([UInt8])
        /// The connection is lost, or cannot be opened. The same reason is reported once.
        case lost(String)
    }

    private static let retry = Duration.seconds(1)
    /// The maximum number of octets that wait for the reader.
    private static let waitingLimit = 64 * 1024

    private let path: String
    private let lineLimit: Int
    private let reactor: Reactor
    private var socket: LineSocket?
    private var toldReason: String?
    private var handle: (Event) -> Void = { _ in }

    /// A connection to the reader at this socket, for `start`.
    public init(_ path: String, lineLimit: Int, _ reactor: Reactor) {
        self.path = path
        self.lineLimit = lineLimit
        self.reactor = reactor
    }

    /// Connects, and calls `handle` with each subsequent change.
    public func start(_ handle: @escaping (Event) -> Void) {
        self.handle = handle
        open()
    }

    /// Ends the connection.
    public func close() {
        handle = { _ in }
        socket = nil
    }

    /// Sends a line; false while there is no connection.
    @discardableResult
    public func send(_ line: String) -> Bool { send(Array(line.utf8)) }

    /// Sends a line; false while there is no connection. A line with a secret is the caller's to wipe.
    @discardableResult
    public func send(_ line: [UInt8]) -> Bool {
        guard let socket else { return false }
        socket.send(line)
        update(socket)
        return self.socket != nil
    }

    private func open() {
        var isConnecting = false
        let descriptor = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        guard descriptor >= 0 else { return lose("cannot connect: \(String(cString: strerror(-descriptor)))") }
        let socket = LineSocket(
            descriptor, lineLimit: lineLimit, waitingLimit: CompanionConnection.waitingLimit)
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
        while self.socket === socket, socket.nextLine({ handle(.line($0)) }) != nil {
            if self.socket === socket { toldReason = nil }
        }
        if socket.isTooLong { return lose("the reader sent a line of more than \(lineLimit) octets") }
        update(socket)
    }

    private func update(_ socket: LineSocket) {
        guard self.socket === socket else { return }
        socket.updateInterest()
        if socket.isLost || socket.inputHasEnded { lose("the reader has closed it") }
    }

    /// Loses the connection, and opens it again later.
    public func lose(_ reason: String) {
        socket = nil
        if reason != toldReason { handle(.lost(reason)) }
        toldReason = reason
        reactor.schedule(at: reactor.now + CompanionConnection.retry) { [weak self] in
            if let self, socket == nil { open() }
        }
    }
}
