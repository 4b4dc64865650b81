import Crypto
import Glibc

/// Removing what was secret from a state directory.
extension StateDirectory {
    /// How many octets are overwritten at once.
    private static let stride = 1 << 16

    /// The names of what is in it, sorted.
    func names() throws(ReaderdError) -> [String] {
        guard let directory = opendir(path) else { throw .file(path, "list it", errno: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) {
                    String(cString: $0)
                }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Overwrites a file with zeros, waits for the disk, and removes it; a link is only removed, and a directory with
    /// all that is in it. What is not there is no error.
    ///
    /// Overwriting reaches the octets where the file system writes in place. Flash and journals may keep old ones.
    func wipe(_ name: String) throws(ReaderdError) {
        let path = file(name)
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw .file(path, "examine it", errno: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR:
            let directory = try StateDirectory(existing: path)
            for name in try directory.names() { try directory.wipe(name) }
            guard rmdir(path) == 0 else { throw .file(path, "remove it", errno: errno) }
        case S_IFREG:
            try StateDirectory.overwrite(path, count: Int(status.st_size))
            guard unlink(path) == 0 else { throw .file(path, "remove it", errno: errno) }
        default:
            guard unlink(path) == 0 else { throw .file(path, "remove it", errno: errno) }
        }
    }

    private static func overwrite(_ path: String, count: Int) throws(ReaderdError) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw .file(path, "overwrite it", errno: errno) }
        defer { close(descriptor) }
        let zeros = [UInt8](repeating: 0, count: min(count, stride))
        var rest = count
        while rest > 0 {
            let written = Glibc.write(descriptor, zeros, min(rest, zeros.count))
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { throw .file(path, "overwrite it", errno: written < 0 ? errno : EIO) }
            rest -= written
        }
        guard fsync(descriptor) == 0 else { throw .file(path, "overwrite it", errno: errno) }
    }

    /// Gives what root has made here to whom the directory belongs, so that the service can read it.
    func adopt(_ path: String) throws(ReaderdError) {
        guard geteuid() == 0 else { return }
        var status = stat()
        guard stat(self.path, &status) == 0 else { throw .file(self.path, "examine it", errno: errno) }
        guard status.st_uid != 0 || status.st_gid != 0 else { return }
        guard lchown(path, status.st_uid, status.st_gid) == 0 else {
            throw .file(path, "give it to the state directory's owner", errno: errno)
        }
    }
}
