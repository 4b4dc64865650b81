// SPDX-License-Identifier: Apache-2.0

import System
import Glibc

/// The open directory of a reader's persistent state. All accesses are relative to its descriptor and follow no links,
/// so that renaming or linking cannot redirect them.
///
/// A root process that opens another user's directory **becomes that user**, permanently and before any other access,
/// so that it cannot be made to access files that the owner could not.
final class StateDirectory {
    /// The capabilities kept when root becomes the owner.
    enum Rights {
        /// None.
        case none
        /// CAP_NET_ADMIN, as for the service: required for an adapter.
        case networkAdministration
    }

    /// The path, without a slash at the end, for messages and SQLite.
    let path: String
    private let descriptor: Int32
    /// The name under which this process created it; nil if it existed.
    private let madeName: String?

    /// Opens the existing directory at `path`; nothing is created.
    convenience init(existing path: String, keeping rights: Rights = .none) throws(ReaderdError) {
        try self.init(path, isMade: false, keeping: rights)
    }

    /// Opens the directory at `path`. If it is missing and its parent exists, it is created with access for its owner
    /// only; root creates it for the parent's owner.
    convenience init(_ path: String, keeping rights: Rights = .none) throws(ReaderdError) {
        try self.init(path, isMade: true, keeping: rights)
    }

    private convenience init(_ path: String, isMade: Bool, keeping rights: Rights) throws(ReaderdError) {
        var trimmed = path[...]
        while trimmed.count > 1, trimmed.hasSuffix("/") { trimmed.removeLast() }
        let path = String(trimmed)
        let (descriptor, madeName) = try StateDirectory.open(path, isMade: isMade, keeping: rights)
        self.init(path, descriptor: descriptor, madeName: madeName)
        try refuseOthersWriting()
    }

    /// Takes ownership of the descriptor.
    private init(_ path: String, descriptor: Int32, madeName: String? = nil) {
        (self.path, self.descriptor, self.madeName) = (path, descriptor, madeName)
    }

    deinit { close(descriptor) }

    private static func open(
        _ path: String, isMade: Bool, keeping rights: Rights
    ) throws(ReaderdError) -> (Int32, madeName: String?) {
        switch try DirectoryWalk.walk(path) {
        case .found(let place):
            try become(ownerOf: place.descriptor, path, keeping: rights)
            return (try opened(openat(place.descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), path), nil)
        case .missing(let above, let name):
            guard isMade else { throw missing(path, ENOENT) }
            try become(ownerOf: above.descriptor, DurableFile.directory(of: path), keeping: rights)
            let isNew = mkdirat(above.descriptor, name, 0o700) == 0
            guard isNew || errno == EEXIST else { throw notMade(path, errno) }
            let directory = try opened(
                openat(above.descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), path)
            // Another user with write access to the parent may have created it in the meantime.
            try become(ownerOf: directory, path, keeping: rights)
            return (directory, isNew ? name : nil)
        case .failed(let code): throw isMade ? notMade(path, code) : missing(path, code)
        }
    }

    private static func opened(_ descriptor: Int32, _ path: String) throws(ReaderdError) -> Int32 {
        guard descriptor >= 0 else { throw .file(path, "open it", errno: errno) }
        return descriptor
    }

    private static func missing(_ path: String, _ code: Int32) -> ReaderdError {
        .file(path, "examine it", errno: code, remedy: "name the state directory with --state")
    }

    private static func notMade(_ path: String, _ code: Int32) -> ReaderdError {
        let remedy = "create it for readerd's user, or name another with --state"
        return .file(path, "create the state directory", errno: code, remedy: remedy)
    }

    // MARK: Owner

    /// Returns the owner's user id.
    func owner() throws(ReaderdError) -> uid_t { try StateDirectory.status(descriptor, path).st_uid }

    /// Throws an error if other users may write to the directory.
    func refuseOthersWriting() throws(ReaderdError) {
        // A user who may write to it could replace the backend's key.
        guard try StateDirectory.status(descriptor, path).st_mode & 0o022 == 0 else {
            throw .failed("\(path): state directory writable by other users; run: chmod go-w \(path)")
        }
    }

    static func status(_ descriptor: Int32, _ path: String) throws(ReaderdError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, "examine it", errno: errno) }
        return status
    }

    // MARK: Entries

    /// Returns the path of a file in it, for messages.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Opens a file in it; links are not followed, and a FIFO in the place of a file does not block. Returns the
    /// descriptor, or -1 with errno.
    func open(_ name: String, _ flags: Int32) -> Int32 {
        openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    }

    /// Reads a regular file; nil if it does not exist.
    ///
    /// - Throws: An error if the file is longer than `maximumCount` octets.
    func contents(of name: String, maximumCount: Int) throws(ReaderdError) -> FileContents? {
        try FileContents.read(open(name, FileContents.openFlags), file(name), maximumCount: maximumCount)
    }

    /// Returns the status of an entry, of the link itself for a link; nil for none.
    func status(of name: String) throws(ReaderdError) -> stat? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .file(file(name), "examine it", errno: errno)
        }
        return status
    }

    /// True if there is an entry of this name, or if that cannot be determined.
    func has(_ name: String) -> Bool {
        do throws(ReaderdError) { return try status(of: name) != nil } catch { return true }
    }

    /// Returns a link's target; nil if the entry is not a link.
    func link(_ name: String) -> String? {
        var target = [CChar](repeating: 0, count: 256)
        let count = readlinkat(descriptor, name, &target, target.count)
        guard count > 0 else { return nil }
        return String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Opens a directory in it.
    func directory(_ name: String) throws(ReaderdError) -> StateDirectory {
        let opened = open(name, O_RDONLY | O_DIRECTORY)
        guard opened >= 0 else { throw .file(file(name), "open it", errno: errno) }
        return StateDirectory(file(name), descriptor: opened)
    }

    /// Creates a directory in it, with access for its owner only.
    func makeDirectory(_ name: String) throws(ReaderdError) -> StateDirectory {
        guard mkdirat(descriptor, name, 0o700) == 0 else { throw .file(file(name), "create it", errno: errno) }
        return try directory(name)
    }

    /// Creates a link to `target` in it.
    func makeLink(_ name: String, to target: String) throws(ReaderdError) {
        guard symlinkat(target, descriptor, name) == 0 else { throw .file(file(name), "create it", errno: errno) }
    }

    /// Renames an entry, replacing the other.
    func rename(_ name: String, to other: String) throws(ReaderdError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw .file(file(other), "replace it", errno: errno)
        }
    }

    /// Renames a damaged entry, so that a new one can take its place (`DamagedFile`). Returns its new name.
    func putAside(_ name: String) throws(ReaderdError) -> String {
        guard let other = DamagedFile.putAside(name, in: descriptor) else {
            throw .file(file(name), "rename it", errno: errno)
        }
        return other
    }

    /// Permits the owner to read and write a file in it. Returns 0, or -1 with errno.
    func permitOwner(_ name: String) -> Int32 { fchmodat(descriptor, name, 0o600, AT_SYMLINK_NOFOLLOW) }

    /// Removes an entry: a file or link, or with AT_REMOVEDIR an empty directory.
    func remove(_ name: String, _ flags: Int32 = 0) throws(ReaderdError) {
        guard unlinkat(descriptor, name, flags) == 0 else { throw .file(file(name), "remove it", errno: errno) }
    }

    /// Replaces a file's contents, with access for its owner only. After a power cut the file has either the old
    /// contents or all of the new.
    func replace(_ name: String, with octets: [UInt8]) throws(ReaderdError) {
        do throws(DurableFile.Failure) {
            try DurableFile.replace(name, in: descriptor, path: path, with: octets)
        } catch {
            throw StateDirectory.fault(error)
        }
    }

    /// Removes the directory with the files of these names if this process has created it. With any other entry it
    /// remains.
    func removeIfMade(with names: [String]) {
        guard let madeName else { return }
        let above = openat(descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard above >= 0 else { return }
        defer { close(above) }
        for name in names { unlinkat(descriptor, name, 0) }
        unlinkat(above, madeName, AT_REMOVEDIR)
    }

    /// Writes renames and removals to the disk.
    func synchronize() throws(ReaderdError) {
        guard fsync(descriptor) == 0 else { throw .file(path, "synchronize it", errno: errno) }
    }

    private static func fault(_ failure: DurableFile.Failure) -> ReaderdError {
        let remedy = "check that the file system is writable and not full"
        return switch failure.step {
        case .create: .file(failure.path, "create it", errno: failure.errno, remedy: remedy)
        case .write: .file(failure.path, "write it", errno: failure.errno, remedy: remedy)
        case .replace: .file(failure.path, "replace it", errno: failure.errno, remedy: remedy)
        case .openDirectory: .file(failure.path, "open it", errno: failure.errno)
        case .synchronizeDirectory: .file(failure.path, "synchronize it", errno: failure.errno)
        }
    }
}
