// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
import System

/// Removal of secrets from a state directory.
extension StateDirectory {
    private static let stride = 1 << 16

    /// Returns the names of its entries, sorted.
    func names() throws(ReaderdError) -> [String] {
        // A separate descriptor, of which closedir takes ownership.
        guard let names = DirectoryNames.list(open(".", O_RDONLY | O_DIRECTORY)) else {
            throw .file(path, "list it", errno: errno)
        }
        return names
    }

    /// Overwrites a file with zeros, waits for the disk, and removes it. A link is only removed; a directory is removed
    /// with its contents. No effect if nothing has this name.
    ///
    /// Overwriting is effective where the file system writes in place. Flash and journals may retain old octets.
    func wipe(_ name: String) throws(ReaderdError) {
        guard let status = try status(of: name) else { return }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            let directory = try directory(name)
            for name in try directory.names() { try directory.wipe(name) }
            try remove(name, Int32(AT_REMOVEDIR))
        case S_IFREG:
            try overwrite(name)
            try remove(name)
        default:
            try remove(name)
        }
    }

    private func overwrite(_ name: String) throws(ReaderdError) {
        let path = file(name)
        let descriptor = open(name, O_WRONLY | O_NONBLOCK)
        guard descriptor >= 0 else {
            let isAnothers = errno == EACCES || errno == EPERM
            throw .file(
                path, "overwrite it", errno: errno,
                remedy: isAnothers ? "owned by another user: inspect it, remove it, and repeat this" : "")
        }
        defer { close(descriptor) }
        // Of the opened file: the name may belong to another file by now.
        let status = try StateDirectory.status(descriptor, path)
        guard status.st_mode & S_IFMT == S_IFREG else { return }
        let zeros = [UInt8](repeating: 0, count: min(Int(status.st_size), StateDirectory.stride))
        var rest = Int(status.st_size)
        while rest > 0 {
            let written = Glibc.write(descriptor, zeros, min(rest, zeros.count))
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw .file(path, "overwrite it", errno: written < 0 ? errno : EIO) }
            rest -= written
        }
        guard fsync(descriptor) == 0 else { throw .file(path, "overwrite it", errno: errno) }
    }
}
