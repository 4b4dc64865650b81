import System
import Glibc

/// The directory in which a reader keeps what must outlive it, open: all that is done in it goes by its descriptor, and
/// follows no link, so that nobody who moves names about leads it elsewhere.
///
/// Root that opens one of another user's **becomes that user**, for good and before it touches anything in it: what the
/// owner could not read, write or remove, it cannot be made to.
final class StateDirectory {
    /// What is to be had of root's rights once root has become the owner.
    enum Rights {
        /// Nothing.
        case none
        /// CAP_NET_ADMIN, as the service has it: an adapter is taken with it.
        case networkAdministration
    }

    /// Its path, without a slash at the end: for messages, and for SQLite.
    let path: String
    private let descriptor: Int32
    /// The name under which this process has made it; nil if it was there.
    private let madeName: String?

    /// The directory at `path`, of a reader that has run; nothing is made.
    convenience init(existing path: String, keeping rights: Rights = .none) throws(ReaderdError) {
        try self.init(path, isMade: false, keeping: rights)
    }

    /// The directory at `path`; it is made, for its owner only, if it is missing and the one above is there. Root makes it
    /// for the owner of that.
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

    /// Takes the descriptor over.
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
            // Who may write to the one above may have been faster.
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
        let remedy = "make it for readerd's user, or name another with --state"
        return .file(path, "make the state directory", errno: code, remedy: remedy)
    }

    // MARK: Whose it is

    /// The user that it belongs to.
    func owner() throws(ReaderdError) -> uid_t { try StateDirectory.status(descriptor, path).st_uid }

    /// Throws if others than its owner may write to it.
    func refuseOthersWriting() throws(ReaderdError) {
        // Whoever may write here may put another key in the backend's place.
        guard try StateDirectory.status(descriptor, path).st_mode & 0o022 == 0 else {
            throw .failed("\(path): others may write to the state directory; do: chmod go-w \(path)")
        }
    }

    static func status(_ descriptor: Int32, _ path: String) throws(ReaderdError) -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .file(path, "examine it", errno: errno) }
        return status
    }

    // MARK: What is in it

    /// The path of a file in it, for messages.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Opens a file in it, which is no link: the descriptor, or -1 and errno.
    func open(_ name: String, _ flags: Int32) -> Int32 {
        openat(descriptor, name, flags | O_CLOEXEC | O_NOFOLLOW, 0o600)
    }

    /// The regular file of that name as a whole; nil if there is none. A longer one than `maximumCount` is an error.
    func contents(of name: String, maximumCount: Int) throws(ReaderdError) -> FileContents? {
        try FileContents.read(open(name, FileContents.openFlags), file(name), maximumCount: maximumCount)
    }

    /// What has this name, itself if it is a link; nil if there is nothing.
    func status(of name: String) throws(ReaderdError) -> stat? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            if errno == ENOENT { return nil }
            throw .file(file(name), "examine it", errno: errno)
        }
        return status
    }

    /// Whether there is something of this name, or nobody can tell.
    func has(_ name: String) -> Bool {
        do throws(ReaderdError) { return try status(of: name) != nil } catch { return true }
    }

    /// Where the link of this name leads; nil if it is none.
    func link(_ name: String) -> String? {
        var target = [CChar](repeating: 0, count: 256)
        let count = readlinkat(descriptor, name, &target, target.count)
        guard count > 0 else { return nil }
        return String(decoding: target.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A directory in it; `remedy` is what to do if it is gone.
    func directory(_ name: String, remedy: String = "") throws(ReaderdError) -> StateDirectory {
        let opened = open(name, O_RDONLY | O_DIRECTORY)
        guard opened >= 0 else { throw .file(file(name), "open it", errno: errno, remedy: remedy) }
        return StateDirectory(file(name), descriptor: opened)
    }

    /// Makes a directory in it, for its owner only.
    func makeDirectory(_ name: String) throws(ReaderdError) -> StateDirectory {
        guard mkdirat(descriptor, name, 0o700) == 0 else { throw .file(file(name), "make it", errno: errno) }
        return try directory(name)
    }

    /// Makes a link to `target` in it.
    func makeLink(_ name: String, to target: String) throws(ReaderdError) {
        guard symlinkat(target, descriptor, name) == 0 else { throw .file(file(name), "make it", errno: errno) }
    }

    /// Puts what has one name in the place of what has another.
    func rename(_ name: String, to other: String) throws(ReaderdError) {
        guard renameat(descriptor, name, descriptor, other) == 0 else {
            throw .file(file(other), "replace it", errno: errno)
        }
    }

    /// Removes what has this name: an empty directory, or with other `flags` than AT_REMOVEDIR anything else.
    func remove(_ name: String, _ flags: Int32 = 0) throws(ReaderdError) {
        guard unlinkat(descriptor, name, flags) == 0 else { throw .file(file(name), "remove it", errno: errno) }
    }

    /// Puts `octets` in the file's place, for its owner only: after a power cut it has either its old content or
    /// all of the new.
    func replace(_ name: String, with octets: [UInt8]) throws(ReaderdError) {
        do throws(DurableFile.Failure) {
            try DurableFile.replace(name, in: descriptor, path: path, with: octets)
        } catch {
            throw StateDirectory.fault(error)
        }
    }

    /// Removes the directory again if this process has made it, with the files of these names. With anything else in it,
    /// it stays.
    func removeIfMade(with names: [String]) {
        guard let madeName else { return }
        let above = openat(descriptor, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard above >= 0 else { return }
        defer { close(above) }
        for name in names { unlinkat(descriptor, name, 0) }
        unlinkat(above, madeName, AT_REMOVEDIR)
    }

    /// Makes what was renamed or removed durable.
    func synchronize() throws(ReaderdError) {
        guard fsync(descriptor) == 0 else { throw .file(path, "synchronize it", errno: errno) }
    }

    private static func fault(_ failure: DurableFile.Failure) -> ReaderdError {
        let remedy = "is the file system writable, and not full?"
        return switch failure.step {
        case .create: .file(failure.path, "create it", errno: failure.errno, remedy: remedy)
        case .write: .file(failure.path, "write it", errno: failure.errno, remedy: remedy)
        case .replace: .file(failure.path, "replace it", errno: failure.errno, remedy: remedy)
        case .openDirectory: .file(failure.path, "open it", errno: failure.errno)
        case .synchronizeDirectory: .file(failure.path, "synchronize it", errno: failure.errno)
        }
    }
}
