// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// A listening Unix stream socket; removed with the value.
///
/// The socket of a killed process is replaced, that of a running one never: the listener holds a lock on the file
/// beside it, which the kernel releases at the process's end.
final class ControlListener {
    /// The default path of the socket.
    static let defaultPath = defaultDirectory + "/control.sock"
    /// Its directory, created by the service manager (RuntimeDirectory=readerd).
    static let defaultDirectory = "/run/readerd"
    /// Access for the owner and the group; members of the group may open the door.
    static let mode: UInt32 = 0o660
    private static let backlog: Int32 = 8

    let path: String
    /// Readable while a connection is pending.
    let descriptor: CInt
    private let lock: CInt

    /// Listens at `path`; `key` is the option or the setting that names it.
    init(
        path: String, mode: UInt32 = ControlListener.mode, key: String = "--control"
    ) throws(ReaderdError) {
        let lockPath = path + ".lock"
        let lock = readerd_claim_file(lockPath)
        guard lock != -EWOULDBLOCK else { throw ControlListener.taken(path, key) }
        let remedy = "create the directory for readerd's user, or name another socket with \(key)"
        guard lock >= 0 else { throw .file(lockPath, "open it", errno: -lock, remedy: remedy) }
        do throws(ReaderdError) {
            try ControlListener.removeStale(path, key)
            let descriptor = readerd_listen_unix(path, path.utf8.count, mode, ControlListener.backlog)
            guard descriptor != -ENAMETOOLONG else {
                throw .failed("\(path): a socket's path has 107 octets at most; name another with \(key)")
            }
            guard descriptor >= 0 else { throw .file(path, "listen", errno: -descriptor, remedy: remedy) }
            self.descriptor = descriptor
        } catch {
            close(lock)
            throw error
        }
        self.path = path
        self.lock = lock
    }

    deinit {
        // The lock is released last, so that no other process's socket is removed.
        unlink(path)
        close(descriptor)
        close(lock)
    }

    /// Accepts the next connection; a negative errno if there is none.
    func accept() -> CInt { readerd_accept(descriptor) }

    private static func taken(_ path: String, _ key: String) -> ReaderdError {
        .failed("\(path): another readerd listens; stop it, or name another socket with \(key)")
    }

    /// Removes a socket without a listener; anything else stays.
    private static func removeStale(_ path: String, _ key: String) throws(ReaderdError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .failed("\(path): not a socket; remove it, or name another with \(key)")
        }
        // A listener that does not use the lock is possible.
        var isConnecting = false
        let probe = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        if probe >= 0 { close(probe) }
        guard probe == -ECONNREFUSED else { throw taken(path, key) }
        unlink(path)
    }
}
