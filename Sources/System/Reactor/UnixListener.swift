// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc
import Timekeeping

/// A listening Unix stream socket, whose file is removed with the value.
///
/// A killed process's socket is replaced, a running process's never. A lock on a file next to the socket, which the
/// kernel releases when the process ends, keeps two starts apart.
public final class UnixListener {
    /// The peer of a connection, as reported by the kernel.
    public struct Peer: Equatable, Sendable {
        /// Its user.
        public var user: UInt32
        /// Its process.
        public var process: Int32

        /// A peer.
        public init(user: UInt32, process: Int32) { (self.user, self.process) = (user, process) }
    }

    /// The reason for which a path cannot be listened at.
    public enum Fault: Error, Equatable {
        /// Another process listens there.
        case taken
        /// The file at the path is not a socket, and stays.
        case notSocket
        /// The lock file cannot be opened: the errno.
        case lock(CInt)
        /// The socket cannot be made: the errno.
        case socket(CInt)
    }

    private static let backlog: CInt = 8
    /// The maximum number of connections accepted in a turn: as many as can wait. A client that connects in
    /// a loop delays nothing else.
    private static let acceptedAtOnce = backlog + 1
    /// The pause after a connection could not be accepted: without descriptors the socket stays readable.
    private static let pause = Duration.seconds(1)

    /// The path of the socket.
    public let path: String
    /// Readable while a connection is pending.
    public let descriptor: CInt
    /// The lock file; negative for none.
    private let lock: CInt
    private var reactor: Reactor?
    private var watch: Watch?
    private var connected: (CInt, Peer) -> Void = { _, _ in }
    private var paused: (SystemError) -> Void = { _ in }

    /// Listens at `path` with access of `mode`; `isLocked` takes the lock, `path` with `.lock` appended.
    public init(path: String, mode: UInt32, isLocked: Bool) throws(Fault) {
        let lock = isLocked ? readerd_claim_file(path + ".lock") : -1
        if isLocked, lock < 0 { throw lock == -EWOULDBLOCK ? .taken : .lock(-lock) }
        do throws(Fault) {
            try UnixListener.removeStale(path)
            descriptor = readerd_listen_unix(path, path.utf8.count, mode, UnixListener.backlog)
            guard descriptor >= 0 else { throw .socket(-descriptor) }
        } catch {
            if isLocked { close(lock) }
            throw error
        }
        self.path = path
        self.lock = lock
    }

    deinit {
        watch?.cancel()
        // The lock is released last, so that no other process's socket is removed.
        unlink(path)
        close(descriptor)
        if lock >= 0 { close(lock) }
    }

    /// Removes a socket without a listener; anything else stays.
    private static func removeStale(_ path: String) throws(Fault) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .notSocket }
        // A listener that does not use the lock is possible.
        var isConnecting = false
        let probe = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        if probe >= 0 { close(probe) }
        guard probe == -ECONNREFUSED else { throw .taken }
        unlink(path)
    }

    /// Accepts connections: `connected` receives each, non-blocking and owned by the callee; `paused` is called when
    /// none can be accepted for a second.
    public func start(
        _ reactor: Reactor, paused: @escaping (SystemError) -> Void, connected: @escaping (CInt, Peer) -> Void
    ) throws(SystemError) {
        (self.reactor, self.paused, self.connected) = (reactor, paused, connected)
        watch = try reactor.watch(descriptor, .readable) { [weak self] _ in self?.accept() }
    }

    /// Stops accepting connections. New connections wait, and are refused once the value is gone.
    public func stop() {
        watch?.cancel()
        watch = nil
    }

    private func accept() {
        for _ in 0..<UnixListener.acceptedAtOnce where watch != nil {
            let connection = readerd_accept(descriptor)
            if connection == -EAGAIN { break }
            guard connection >= 0 else { return pause(SystemError(call: "accept", code: -connection)) }
            var peer = Peer(user: .max, process: 0)
            guard readerd_peer(connection, &peer.user, &peer.process) == 0 else {
                close(connection)
                continue
            }
            connected(connection, peer)
        }
        // The remaining connections have arrived since the first was accepted.
        watch?.drained()
    }

    private func pause(_ error: SystemError) {
        guard let reactor else { return }
        paused(error)
        try? watch?.modify([])
        reactor.schedule(at: reactor.now + UnixListener.pause) { [weak self] in try? self?.watch?.modify(.readable) }
    }
}
