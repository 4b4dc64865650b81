// SPDX-License-Identifier: Apache-2.0

import CLinux

/// A Unix datagram socket connected to another process's, such as a daemon's control socket. Non-blocking, bound to
/// its own path for replies; the path is removed on deinitialization.
public final class LocalDatagramSocket {
    private let socket: Descriptor
    private let own: String
    private let datagram: UnsafeMutableBufferPointer<UInt8>

    /// The descriptor, for a reactor's watch.
    public var descriptor: CInt { socket.raw }

    /// The maximum length of a received datagram; longer ones are truncated. Replies of daemons with control sockets
    /// have a few kilobytes.
    public static let longestDatagram = 65_536

    /// Connects to the socket at `path`, bound to `own`: an existing socket there is assumed to belong to an ended
    /// process, and replaced.
    public init(to path: String, own: String) throws(SystemError) {
        socket = try Descriptor(
            readerd_datagram_unix_named(path, path.utf8.count, own, own.utf8.count), "connect")
        self.own = own
        datagram = .allocate(capacity: LocalDatagramSocket.longestDatagram)
        datagram.initialize(repeating: 0)
    }

    deinit {
        datagram.deallocate()
        readerd_unlink(own)
    }

    /// Sends a datagram as a whole or not at all.
    public func send(_ octets: [UInt8]) throws(SystemError) {
        let sent = readerd_send(socket.raw, octets, octets.count)
        guard sent >= 0 else { throw SystemError(call: "send", code: CInt(-sent)) }
    }

    /// Passes the next datagram to `body`; false if none has arrived.
    public func receive(_ body: (Span<UInt8>) -> Void) throws(SystemError) -> Bool {
        let count = readerd_read(socket.raw, datagram.baseAddress, datagram.count)
        if count == -Int64(LocalDatagramSocket.nothingThere) { return false }
        guard count >= 0 else { throw SystemError(call: "recv", code: CInt(-count)) }
        body(UnsafeBufferPointer(datagram.extracting(0..<Int(count))).span)
        return true
    }

    private static let nothingThere = readerd_error_again
}
