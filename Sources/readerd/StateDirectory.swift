import Glibc

/// The directory in which a reader keeps what must outlive it.
struct StateDirectory {
    /// Its path, without a slash at the end.
    let path: String

    /// The directory at `path`, of a reader that has run; nothing is made.
    init(existing path: String) throws(ReaderdError) {
        var status = stat()
        guard stat(path, &status) == 0 else {
            throw .file(path, "examine it", errno: errno, remedy: "name the state directory with --state")
        }
        self.path = path
    }

    /// The directory at `path`; it is made, for its owner only, if it is missing and the one above is there.
    init(_ path: String) throws(ReaderdError) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        self.path = String(trimmed)
        if mkdir(self.path, 0o700) != 0 && errno != EEXIST {
            let remedy = "make it for readerd's user, or name another with --state"
            throw .file(self.path, "make the state directory", errno: errno, remedy: remedy)
        }
        var status = stat()
        guard stat(self.path, &status) == 0 else { throw .file(self.path, "examine it", errno: errno) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw .failed("\(path): is not a directory; name another with --state")
        }
        // Whoever may write here may put another key in the backend's place.
        guard status.st_mode & 0o022 == 0 else {
            throw .failed("\(path): others may write to the state directory; do: chmod go-w \(path)")
        }
    }

    /// The path of a file in it.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Puts `octets` in the file's place, for its owner only: after a power cut it has either its old content or
    /// all of the new.
    func replace(_ name: String, with octets: [UInt8]) throws(ReaderdError) {
        let target = file(name)
        let temporary = target + ".new"
        let remedy = "is the file system writable, and not full?"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .file(temporary, "create it", errno: errno, remedy: remedy) }
        let failure = StateDirectory.write(octets, to: descriptor)
        close(descriptor)
        guard failure == 0 else {
            unlink(temporary)
            throw .file(temporary, "write it", errno: failure, remedy: remedy)
        }
        guard rename(temporary, target) == 0 else {
            let failure = errno
            unlink(temporary)
            throw .file(target, "replace it", errno: failure, remedy: remedy)
        }
        try synchronize()
    }

    /// Makes the renaming itself durable.
    func synchronize() throws(ReaderdError) {
        let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path, "open it", errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .file(path, "synchronize it", errno: errno) }
    }

    /// Writes all and waits for the disk; 0, or the errno.
    private static func write(_ octets: [UInt8], to descriptor: Int32) -> Int32 {
        octets.withUnsafeBytes { octets in
            var rest = octets
            while !rest.isEmpty {
                let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return count < 0 ? errno : EIO }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
            return fsync(descriptor) == 0 ? 0 : errno
        }
    }
}
