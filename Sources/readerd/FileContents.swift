import Crypto
import Glibc

/// A file that was read as a whole. Its octets are overwritten with its end: they may be a key's. It is an object
/// because a value would leave copies behind.
final class FileContents {
    /// What is in it. Whoever copies it has to wipe the copy.
    private(set) var octets: [UInt8]
    /// Its permission bits at the time.
    let permissions: mode_t

    private init(_ octets: consuming [UInt8], permissions: mode_t) {
        self.octets = octets
        self.permissions = permissions
    }

    deinit { wipeSecret(&octets) }

    /// How a file is opened to be read: not blocking, so that a pipe put in its place holds nobody up.
    static let openFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK

    /// Reads the regular file at `path`, which somebody has named and which may be a link; nil if there is none. A longer
    /// one than `maximumCount` is an error.
    static func read(_ path: String, maximumCount: Int) throws(ReaderdError) -> FileContents? {
        try read(open(path, openFlags), path, maximumCount: maximumCount)
    }

    /// Reads the file that was opened just now with `openFlags`, and closes it; a descriptor below 0 is errno's.
    static func read(
        _ descriptor: Int32, _ path: String, maximumCount: Int
    ) throws(ReaderdError) -> FileContents? {
        guard descriptor >= 0 else {
            if errno == ELOOP { throw .failed("\(path): is a link; put the file itself there") }
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw .file(path, "open it", errno: errno)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, "examine it", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFREG else { throw .failed("\(path): is not a regular file") }

        // One octet of room too many tells a file that is too long from one that just fits.
        var octets = [UInt8](repeating: 0, count: maximumCount + 1)
        var count = 0
        while count < octets.count {
            let room = octets.count - count
            let got = octets.withUnsafeMutableBytes { buffer in
                Glibc.read(descriptor, buffer.baseAddress.map { $0 + count }, room)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .file(path, "read it", errno: errno) }
            if got == 0 { break }
            count += got
        }
        guard count <= maximumCount else {
            throw .failed("\(path): is longer than the \(maximumCount) octets that it may have")
        }
        octets.removeLast(octets.count - count)
        return FileContents(octets, permissions: status.st_mode & 0o7777)
    }
}
