// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc

/// The contents of a file that may hold a key. The octets are overwritten at deinitialisation; a class, since a value
/// would leave copies behind.
final class FileContents {
    /// The file's octets. Copies have to be wiped by their owner.
    private(set) var octets: [UInt8]
    /// The permission bits at the time of reading.
    let permissions: mode_t

    private init(_ octets: consuming [UInt8], permissions: mode_t) {
        self.octets = octets
        self.permissions = permissions
    }

    deinit { wipeSecret(&octets) }

    /// The flags for opening a file: non-blocking, so that a FIFO put at its path does not block.
    static let openFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK

    /// Reads the regular file at `path`, or the target of a link there; nil if it does not exist.
    ///
    /// - Throws: An error if the file is longer than `maximumCount` octets.
    static func read(_ path: String, maximumCount: Int) throws(ReaderdError) -> FileContents? {
        try read(open(path, openFlags), path, maximumCount: maximumCount)
    }

    /// Reads and closes the file just opened with `openFlags`. For a negative descriptor, errno states the error.
    static func read(
        _ descriptor: Int32, _ path: String, maximumCount: Int
    ) throws(ReaderdError) -> FileContents? {
        guard descriptor >= 0 else {
            if errno == ELOOP { throw .damaged(path, "symbolic link; replace it with the file") }
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .unreadable(path, "open it", errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, "examine it", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .damaged(path, "not a regular file") }

        // One octet more than the maximum, so that a longer file is detected.
        var octets = [UInt8](repeating: 0, count: maximumCount + 1)
        var count = 0
        while count < octets.count {
            let room = octets.count - count
            let got = octets.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, room)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .unreadable(path, "read it", errno: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= maximumCount else {
            wipeSecret(&octets)
            throw .damaged(path, "longer than \(maximumCount) octets")
        }
        octets.removeLast(octets.count - count)
        return FileContents(octets, permissions: status.st_mode & 0o7777)
    }
}
