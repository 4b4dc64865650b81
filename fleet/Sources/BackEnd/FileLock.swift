// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import System
import Timekeeping

/// Excludes other commands from a file while it is read, changed and replaced.
///
/// The lock is on the file's directory: a replaced file is another inode, and a lock on the old one would not exclude a
/// command that opens the new one. The commands of one directory wait for each other. The kernel releases the lock of a
/// process that ends. Whoever may read the directory may hold the lock: then no change is made, and the error says so.
struct FileLock {
    /// The time within which others are expected to replace their files, on a slow disk too.
    static let limit = Duration.seconds(10)
    /// The time between two attempts, in microseconds.
    private static let pause: UInt32 = 10_000

    /// The path of the file, without symbolic links.
    let path: String
    private let descriptor: Int32

    /// Locks the file at `path`, or that of a link there, which need not exist yet.
    init(_ path: String, within limit: Duration = limit) throws(CommandError) {
        self.path = try FileLock.target(of: path)
        let directory = DurableFile.directory(of: self.path)
        descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw .failed("\(path): cannot open its directory: \(String(cString: strerror(errno)))")
        }
        let end = MonotonicClock.now + limit
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            let code = errno
            if code == EWOULDBLOCK, MonotonicClock.now < end {
                usleep(FileLock.pause)
                continue
            }
            close(descriptor)
            throw .failed(
                code == EWOULDBLOCK
                    ? "\(path): not changed; another process locks \(directory): wait for its end (lslocks shows it), and "
                        + "repeat the command"
                    : "\(path): not changed; cannot lock \(directory): \(String(cString: strerror(code)))")
        }
    }

    /// Releases the lock.
    func release() { close(descriptor) }

    private static func target(of path: String) throws(CommandError) -> String {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let code = errno
        var status = stat()
        guard code == ENOENT, lstat(path, &status) != 0 else {
            throw .failed("\(path): cannot find the file: \(String(cString: strerror(code))); name it without a link")
        }
        return path
    }
}

extension CredentialStore {
    /// Changes the file at `path`, or that of a link there, while other commands wait. `change` has the path without
    /// links, reads the file and replaces it. A change within a change in the same directory fails.
    public static func change<Result>(
        fileAt path: String, _ change: (_ path: String) throws(CredentialError) -> Result
    ) throws(CredentialError) -> Result {
        let lock: FileLock
        do throws(CommandError) { lock = try FileLock(path) } catch { throw CredentialError(error.text) }
        defer { lock.release() }
        return try change(lock.path)
    }

    /// Changes the site in the file at `path`, while other commands wait.
    public static func changeSite<Result>(
        _ path: String, _ change: (inout SiteFile) throws(CredentialError) -> Result
    ) throws(CredentialError) -> Result {
        try self.change(fileAt: path) { target throws(CredentialError) in
            var file = try site(path)
            let result = try change(&file)
            try replace(target, with: file)
            return result
        }
    }
}
