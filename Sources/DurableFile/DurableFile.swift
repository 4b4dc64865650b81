import Glibc

/// Files that are replaced as a whole: after a power cut one has either its old content or all of the new.
public enum DurableFile {
    /// What could not be done.
    public struct Failure: Error, Equatable, Sendable {
        /// What was tried.
        public enum Step: Equatable, Sendable {
            /// To make the file that is to take the other's place.
            case create
            /// To write it and wait for the disk.
            case write
            /// To put it in the other's place.
            case replace
            /// To open the directory.
            case openDirectory
            /// To wait until the directory is on the disk.
            case synchronizeDirectory
        }

        /// What was tried.
        public let step: Step
        /// On which file or directory.
        public let path: String
        /// The system's reason.
        public let errno: Int32
    }

    /// Puts `octets` in the place of the file at `path`, readable and writable for its owner only.
    ///
    /// They are written to `path` with `.new` behind it first: what a process that was stopped left there is removed,
    /// and a link that somebody else put there is not followed.
    public static func replace(_ path: String, with octets: [UInt8]) throws(Failure) {
        let place = directory(of: path)
        let descriptor = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(step: .create, path: path + ".new", errno: errno) }
        defer { close(descriptor) }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        try replace(String(name), in: descriptor, path: place, with: octets)
    }

    /// The same for the file of this name in an open directory, wherever that is by now; `path` is the directory's, for
    /// faults.
    public static func replace(
        _ name: String, in directory: Int32, path: String, with octets: [UInt8]
    ) throws(Failure) {
        let temporary = name + ".new"
        func fault(_ step: Failure.Step, _ name: String, _ code: Int32) -> Failure {
            Failure(step: step, path: path == "." ? name : path == "/" ? "/\(name)" : "\(path)/\(name)", errno: code)
        }
        unlinkat(directory, temporary, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = openat(directory, temporary, flags, 0o600)
        guard descriptor >= 0 else { throw fault(.create, temporary, errno) }
        let code = write(octets, to: descriptor)
        close(descriptor)
        guard code == 0 else {
            unlinkat(directory, temporary, 0)
            throw fault(.write, temporary, code)
        }
        guard renameat(directory, temporary, directory, name) == 0 else {
            let code = errno
            unlinkat(directory, temporary, 0)
            throw fault(.replace, name, code)
        }
        guard fsync(directory) == 0 else { throw Failure(step: .synchronizeDirectory, path: path, errno: errno) }
    }

    /// Waits until what was made, renamed or removed in a directory is on the disk.
    public static func synchronize(directory: String) throws(Failure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(step: .openDirectory, path: directory, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(step: .synchronizeDirectory, path: directory, errno: errno) }
    }

    /// The directory that the file at `path` is in.
    public static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
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
