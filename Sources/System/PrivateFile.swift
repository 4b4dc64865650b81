// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A small file that only its owner may read and write.
public struct PrivateFile: Sendable {
    /// The path.
    public let path: String
    /// The maximum size in octets.
    public let limit: Int
    /// True if others may read it.
    public let mayBeShared: Bool

    /// The file at this path, which need not exist.
    public init(path: String, limit: Int, mayBeShared: Bool = false) {
        self.path = path
        self.limit = limit
        self.mayBeShared = mayBeShared
    }

    /// The contents, which are the caller's to wipe; nil if there is no file. A link is not followed. What is read of a
    /// file that is too long is overwritten.
    public func load() throws(PrivateFileFault) -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw fault("cannot read it", errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw fault("cannot read it", errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw PrivateFileFault("\(path): is no file; remove it") }
        guard mayBeShared || status.st_mode & 0o077 == 0 else {
            throw PrivateFileFault("\(path): others can read or write it: chmod 600 \(path)")
        }
        var octets = [UInt8](repeating: 0, count: limit + 1)
        let count = read(descriptor, &octets, octets.count)
        guard count >= 0 else { throw fault("cannot read it", errno) }
        guard count <= limit else {
            octets.withUnsafeMutableBytes { WipedQueue.wipe($0) }
            throw PrivateFileFault("\(path): is longer than \(limit) octets; remove it")
        }
        octets.removeLast(octets.count - count)
        return octets
    }

    private func fault(_ problem: String, _ code: CInt) -> PrivateFileFault {
        PrivateFileFault("\(path): \(problem): \(String(cString: strerror(code))); check its owner and permissions")
    }
}

/// A file that cannot be used: the file, the fault and the remedy in one line.
public struct PrivateFileFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line.
    public let description: String

    /// A fault with this line.
    public init(_ description: String) { self.description = description }
}
