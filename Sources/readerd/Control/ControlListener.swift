import CLinux
import Glibc

/// A Unix stream socket that others of this machine may connect to, gone with the value.
///
/// What a reader that was killed has left is replaced; a living one's never: who listens holds a lock on the file
/// beside it, which ends with the process, however it ends.
final class ControlListener {
    /// The default path of the socket.
    static let defaultPath = defaultDirectory + "/control.sock"
    /// Its directory, which the service manager makes (RuntimeDirectory=readerd).
    static let defaultDirectory = "/run/readerd"
    /// For the owner and the group; who is in the group may open the door.
    private static let mode: UInt32 = 0o660
    private static let backlog: Int32 = 8

    let path: String
    /// Readable while somebody wants to connect.
    let descriptor: CInt
    private let lock: CInt

    init(path: String) throws(ReaderdError) {
        let lockPath = path + ".lock"
        let lock = readerd_claim_file(lockPath)
        guard lock != -EWOULDBLOCK else { throw ControlListener.taken(path) }
        let remedy = "make the directory for readerd's user, or name another socket with --control"
        guard lock >= 0 else { throw .file(lockPath, "open it", errno: -lock, remedy: remedy) }
        do throws(ReaderdError) {
            try ControlListener.removeStale(path)
            let descriptor = readerd_listen_unix(path, path.utf8.count, ControlListener.mode, ControlListener.backlog)
            guard descriptor != -ENAMETOOLONG else {
                throw .failed("\(path): a socket's path has 107 octets at most; name another with --control")
            }
            guard descriptor >= 0 else { throw .file(path, "listen there", errno: -descriptor, remedy: remedy) }
            self.descriptor = descriptor
        } catch {
            close(lock)
            throw error
        }
        self.path = path
        self.lock = lock
    }

    deinit {
        // The lock last: until then nobody else's socket is there.
        unlink(path)
        close(descriptor)
        close(lock)
    }

    /// The next caller; negative, the errno, if there is none.
    func accept() -> CInt { readerd_accept(descriptor) }

    private static func taken(_ path: String) -> ReaderdError {
        .failed("\(path): another readerd is listening there; end it, or name another socket with --control")
    }

    /// Removes a socket at which nobody listens; anything else stays.
    private static func removeStale(_ path: String) throws(ReaderdError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw .failed("\(path): is there and no socket; remove it, or name another with --control")
        }
        // Somebody may listen who knows nothing of the lock.
        var isConnecting = false
        let probe = readerd_connect_unix(path, path.utf8.count, false, &isConnecting)
        if probe >= 0 { close(probe) }
        guard probe == -ECONNREFUSED else { throw taken(path) }
        unlink(path)
    }
}
