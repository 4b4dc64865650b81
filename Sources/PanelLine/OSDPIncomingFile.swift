// SPDX-License-Identifier: Apache-2.0

import Crypto
import Glibc
public import System

/// A file that a panel sends: incomplete under its own name until all of it is on the disk. To be used by one
/// thread at a time, which waits for the disk.
public struct OSDPIncomingFile: Sendable {
    /// The path of the whole file.
    public let path: String
    /// The path of the incomplete file.
    public let incompletePath: String

    /// The file at this path, which need not exist.
    public init(path: String) {
        self.path = path
        incompletePath = path + ".part"
    }

    /// Removes the incomplete file.
    public func removeIncomplete() { unlink(incompletePath) }

    /// Adds octets at the end of the incomplete file, of which there are `offset` already; 0 begins it again. Readable
    /// and writable by its owner only.
    public func append(_ octets: [UInt8], at offset: Int) throws(DurableFile.Failure) {
        if offset == 0 { unlink(incompletePath) }
        let flags = O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC | (offset == 0 ? O_CREAT | O_EXCL : 0)
        let descriptor = open(incompletePath, flags, 0o600)
        guard descriptor >= 0 else { throw failure(.create, errno) }
        defer { close(descriptor) }
        guard lseek(descriptor, 0, SEEK_END) == off_t(offset) else { throw failure(.write, EIO) }
        let code = octets.withUnsafeBytes { WholeWrite.write($0, to: descriptor) }
        guard code == 0 else { throw failure(.write, code) }
    }

    /// Makes the incomplete file the complete one, durably, if it has `count` octets and is not empty. Returns its
    /// SHA-256.
    public func finish(count: Int) throws(DurableFile.Failure) -> [UInt8] {
        let descriptor = open(incompletePath, O_RDWR | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.create, errno) }
        defer { close(descriptor) }
        guard lseek(descriptor, 0, SEEK_END) == off_t(count), fsync(descriptor) == 0 else {
            throw failure(.write, errno == 0 ? EIO : errno)
        }
        // Mapped and not read: the process's memory stays as it is.
        guard let octets = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), octets != MAP_FAILED else {
            throw failure(.write, errno)
        }
        defer { munmap(octets, count) }
        let mapped = UnsafeRawBufferPointer(start: octets, count: count)
        let digest = mapped.withMemoryRebound(to: UInt8.self) { octets in
            (try? SHA256.hash(Span(_unsafeElements: octets))).map { digest in digest.indices.map { digest[$0] } }
        }
        guard let digest else { throw failure(.write, EIO) }
        guard rename(incompletePath, path) == 0 else { throw failure(.replace, errno) }
        try DurableFile.synchronize(directory: DurableFile.directory(of: path))
        return digest
    }

    private func failure(_ step: DurableFile.Failure.Step, _ code: CInt) -> DurableFile.Failure {
        DurableFile.Failure(step: step, path: incompletePath, errno: code)
    }
}
