// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import System

/// A directory for sockets of this process, for this user alone. It is locked while the process runs, so that a later
/// one recognizes and removes the directory of a killed one.
final class SocketDirectory {
    private static let prefix = "readerlab-air-"
    /// The attempts: a directory may be removed by another process before it is locked.
    private static let attempts = 10

    let path: String
    private let lock: CInt

    init(in parent: String) throws(CommandError) {
        let names = DirectoryNames.list(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) ?? []
        for name in names where name.hasPrefix(SocketDirectory.prefix) {
            let path = "\(parent)/\(name)"
            guard let lock = SocketDirectory.locked(path) else { continue }
            SocketDirectory.remove(path)
            Glibc.close(lock)
        }
        for _ in 0..<SocketDirectory.attempts {
            var template = Array("\(parent)/\(SocketDirectory.prefix)XXXXXX".utf8CString)
            guard mkdtemp(&template) != nil else { break }
            let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            guard let lock = SocketDirectory.locked(path) else { continue }
            (self.path, self.lock) = (path, lock)
            return
        }
        throw .failed("--netsim: cannot make a directory in \(parent): \(String(cString: strerror(errno)))")
    }

    deinit { Glibc.close(lock) }

    /// Removes the directory.
    func remove() { SocketDirectory.remove(path) }

    /// Locks a directory of this user. Returns nil if another process has locked or removed it.
    private static func locked(_ path: String) -> CInt? {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var status = stat()
        if fstat(descriptor, &status) == 0, status.st_uid == geteuid(), flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            access(path, F_OK) == 0
        {
            return descriptor
        }
        Glibc.close(descriptor)
        return nil
    }

    /// Removes a directory with the sockets in it. With anything else in it, it stays.
    private static func remove(_ path: String) {
        for name in DirectoryNames.list(open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)) ?? [] {
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { continue }
            unlink("\(path)/\(name)")
        }
        rmdir(path)
    }
}
