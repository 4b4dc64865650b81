// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Atomic replacement of files: after a power cut a file has either its old content or all of the new.
public enum DurableFile {
    /// The failure of an operation.
    public struct Failure: Error, Equatable, Sendable {
        /// The failed step, with its name for messages.
        public enum Step: String, Equatable, Sendable {
            /// Creating the temporary file.
            case create = "create it"
            /// Writing the temporary file, and waiting for the disk.
            case write = "write it"
            /// Renaming the temporary file.
            case replace = "replace it"
            /// Opening the directory.
            case openDirectory = "open the directory"
            /// Waiting for the directory to reach the disk.
            case synchronizeDirectory = "synchronize the directory"
        }

        /// The failed step.
        public let step: Step
        /// The path of the file or directory.
        public let path: String
        /// The errno.
        public let errno: Int32

        /// A failure of another kind of file.
        public init(step: Step, path: String, errno: Int32) {
            self.step = step
            self.path = path
            self.errno = errno
        }
    }

    /// Replaces the file at `path` with `octets`, readable and writable by its owner only, or, with `keepsAccess`, by
    /// those who could read and write the previous file.
    ///
    /// The octets are first written to `path` with the suffix `.new`: the remainder of an interrupted process is
    /// removed, and a symbolic link there is not followed. A directory at `path` itself is renamed (`DamagedFile`).
    public static func replace(
        _ path: String, with octets: [UInt8], keepsAccess: Bool = false
    ) throws(Failure) {
        let place = directory(of: path)
        let descriptor = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(step: .create, path: path + ".new", errno: errno) }
        defer { close(descriptor) }
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        try replace(String(name), in: descriptor, path: place, with: octets, keepsAccess: keepsAccess)
    }

    /// Replaces the file with this name in an open directory, which may have been moved. `path` is the directory's
    /// path, for errors.
    public static func replace(
        _ name: String, in directory: Int32, path: String, with octets: [UInt8], keepsAccess: Bool = false
    ) throws(Failure) {
        let temporary = name + ".new"
        func fault(_ step: Failure.Step, _ name: String, _ code: Int32) -> Failure {
            Failure(step: step, path: path == "." ? name : path == "/" ? "/\(name)" : "\(path)/\(name)", errno: code)
        }
        unlinkat(directory, temporary, 0)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = openat(directory, temporary, flags, 0o600)
        guard descriptor >= 0 else { throw fault(.create, temporary, errno) }
        if keepsAccess { keepAccess(to: name, in: directory, for: descriptor) }
        let code = write(octets, to: descriptor)
        close(descriptor)
        guard code == 0 else {
            unlinkat(directory, temporary, 0)
            throw fault(.write, temporary, code)
        }
        var isRenamed = renameat(directory, temporary, directory, name) == 0
        if !isRenamed, errno == EISDIR, DamagedFile.putAside(name, in: directory) != nil {
            isRenamed = renameat(directory, temporary, directory, name) == 0
        }
        guard isRenamed else {
            let code = errno
            unlinkat(directory, temporary, 0)
            throw fault(.replace, name, code)
        }
        guard fsync(directory) == 0 else { throw Failure(step: .synchronizeDirectory, path: path, errno: errno) }
    }

    /// Creates the file at `path` with `octets`, readable and writable by its owner only. Anything that exists there,
    /// also a link or a pipe, is an error (EEXIST), and stays as it is.
    ///
    /// A power cut may leave the first octets of the file.
    public static func create(_ path: String, with octets: [UInt8]) throws(Failure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(step: .create, path: path, errno: errno) }
        let code = write(octets, to: descriptor)
        close(descriptor)
        guard code == 0 else {
            unlink(path)
            throw Failure(step: .write, path: path, errno: code)
        }
        try synchronize(directory: directory(of: path))
    }

    /// Gives a new file the owner, the group and the permissions of the one that it replaces, as far as this user may:
    /// without the group it stays its owner's.
    private static func keepAccess(to name: String, in directory: Int32, for descriptor: Int32) {
        var former = stat()
        guard fstatat(directory, name, &former, AT_SYMLINK_NOFOLLOW) == 0, former.st_mode & S_IFMT == S_IFREG,
            fchown(descriptor, former.st_uid, former.st_gid) == 0 || fchown(descriptor, uid_t.max, former.st_gid) == 0
        else { return }
        _ = fchmod(descriptor, former.st_mode & 0o666)
    }

    /// Checks that `replace` would have room for `count` octets: the directory can be written and the file system has
    /// the blocks. Creates and removes the temporary file, and does not wait for the disk.
    public static func checkRoom(at path: String, for count: Int) throws(Failure) {
        let temporary = path + ".new"
        // The replacement of a file that is immutable or marked as read-only would fail.
        guard access(path, W_OK) == 0 || errno == ENOENT else {
            throw Failure(step: .replace, path: path, errno: errno)
        }
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Failure(step: .create, path: temporary, errno: errno) }
        let code = posix_fallocate(descriptor, 0, off_t(max(count, 1)))
        close(descriptor)
        unlink(temporary)
        guard code == 0 else { throw Failure(step: .write, path: temporary, errno: code) }
    }

    /// Waits until the entries created, renamed or removed in a directory have reached the disk.
    public static func synchronize(directory: String) throws(Failure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Failure(step: .openDirectory, path: directory, errno: errno) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw Failure(step: .synchronizeDirectory, path: directory, errno: errno) }
    }

    /// The directory of the file at `path`.
    public static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Writes all octets and waits for the disk; 0, or the errno.
    private static func write(_ octets: [UInt8], to descriptor: Int32) -> Int32 {
        let code = octets.withUnsafeBytes { WholeWrite.write($0, to: descriptor) }
        guard code == 0 else { return code }
        return fsync(descriptor) == 0 ? 0 : errno
    }
}
