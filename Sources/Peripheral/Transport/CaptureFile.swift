// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The cause of a failed capture, in one line.
public struct CaptureFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file, the failure and the remedy.
    public let description: String
}

/// A file that is written while a device runs, readable only by its owner (mode 0600).
///
/// Octets are buffered until `flush`, which must be called when the device pauses; a killed process loses those since
/// then. Must be used on one thread.
public final class CaptureFile {
    private let path: String
    private var descriptor: CInt
    /// The octets that are not written yet. Appending within the reserved capacity does not allocate.
    public var octets: [UInt8] = []
    /// The number of octets written so far.
    public private(set) var writtenCount = 0

    /// Creates the file, or truncates an existing one, with a buffer of `capacity` octets.
    ///
    /// - Throws: `CaptureFileError`.
    public init(path: String, capacity: Int) throws(CaptureFileError) {
        self.path = path
        // Non-blocking, so that a pipe at this path cannot block; no symbolic links, which could lead to any file.
        descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw CaptureFile.error(path, "cannot open it", errno) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw CaptureFileError(description: "\(path): not a regular file; use another")
        }
        guard fchmod(descriptor, 0o600) == 0, ftruncate(descriptor, 0) == 0 else {
            let code = errno
            close(descriptor)
            throw CaptureFile.error(path, "cannot set its mode and truncate it", code)
        }
        octets.reserveCapacity(capacity)
    }

    deinit {
        try? flush()
        if descriptor >= 0 { close(descriptor) }
    }

    /// True until the first failure, after which no octets are accepted.
    public var isOpen: Bool { descriptor >= 0 }

    /// Writes the buffered octets.
    public func flush() throws(CaptureFileError) {
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
                throw CaptureFile.error(path, "cannot write to it", code)
            }
            written += count
        }
        writtenCount += written
        octets.removeAll(keepingCapacity: true)
    }

    private static func error(_ path: String, _ what: String, _ code: CInt) -> CaptureFileError {
        let remedy =
            switch code {
            case ENOENT, ENOTDIR: "use an existing directory"
            case EACCES, EPERM, EROFS: "use a file writable by this user"
            case ENOSPC, EDQUOT, EFBIG: "free disk space"
            case ELOOP: "symbolic link; use its target"
            case EISDIR: "directory; use a file in it"
            default: "use another file"
            }
        return CaptureFileError(description: "\(path): \(what): \(String(cString: strerror(code))); \(remedy)")
    }
}
