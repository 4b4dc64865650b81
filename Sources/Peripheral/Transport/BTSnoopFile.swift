// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The cause of a failed capture, in one line.
public struct BTSnoopFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file, the failure and the remedy.
    public let description: String
}

/// A capture file being written, readable only by its owner (mode 0600): it contains all data on the air, and the keys
/// exchanged between host and controller.
///
/// Records are buffered until `flush`, which must be called when the host pauses; a killed process loses the records of
/// its last turn. Must be used on one thread.
public final class BTSnoopFile {
    /// The buffer size in octets at which records are written.
    static let gatheredCount = 64 * 1024

    private let path: String
    private var descriptor: CInt
    private var octets: [UInt8] = []

    /// Creates the file, or truncates an existing one.
    ///
    /// - Throws: `BTSnoopFileError`.
    public init(path: String) throws(BTSnoopFileError) {
        self.path = path
        // Non-blocking, so that a pipe at this path cannot block; no symbolic links, which could lead to any file.
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw BTSnoopFile.error(path, "cannot open it", errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw BTSnoopFileError(description: "\(path): not a regular file; use another")
        }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            let code = errno
            close(descriptor)
            throw BTSnoopFile.error(path, "cannot set its mode and truncate it", code)
        }
        BTSnoop.appendFileHeader(to: &octets)
        try flush()
    }

    deinit {
        try? flush()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Appends a packet, with its type octet and the present wall-clock time. A failure is thrown by the next `flush`
    /// at the latest.
    public func record(_ packet: Span<UInt8>, _ direction: BTSnoop.Direction) throws(BTSnoopFileError) {
        guard descriptor >= 0 else { return }
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        let microseconds = Int64(now.tv_sec) &* 1_000_000 &+ Int64(now.tv_nsec) / 1000
        BTSnoop.appendRecord(packet, direction, microseconds: microseconds, to: &octets)
        if octets.count >= BTSnoopFile.gatheredCount { try flush() }
    }

    /// Writes the buffered records. After the first failure, no further records are accepted.
    public func flush() throws(BTSnoopFileError) {
        guard descriptor >= 0, !octets.isEmpty else { return }
        var written = 0
        while written < octets.count {
            let offset = written
            let count = octets.withUnsafeBytes {
                write(descriptor, $0.baseAddress.map { $0 + offset }, $0.count - offset)
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else {
                let code = count < 0 ? errno : ENOSPC
                close(descriptor)
                descriptor = -1
                octets = []
                throw BTSnoopFile.error(path, "cannot write to it", code)
            }
            written += count
        }
        octets.removeAll(keepingCapacity: true)
    }

    private static func error(_ path: String, _ what: String, _ code: CInt) -> BTSnoopFileError {
        let remedy =
            switch code {
            case ENOENT, ENOTDIR: "use an existing directory"
            case EACCES, EPERM, EROFS: "use a file writable by this user"
            case ENOSPC, EDQUOT, EFBIG: "free disk space"
            case ELOOP: "symbolic link; use its target"
            case EISDIR: "directory; use a file in it"
            default: "use another file"
            }
        return BTSnoopFileError(description: "\(path): \(what): \(String(cString: strerror(code))); \(remedy)")
    }
}
