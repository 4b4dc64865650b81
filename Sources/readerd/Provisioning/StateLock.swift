import Glibc

/// That one process, and no other, has a state directory: the reader while it runs, or a command that changes what the
/// reader is. It ends with the process, however that ends.
final class StateLock {
    /// The file; it stays.
    static let fileName = "readerd.lock"

    private let descriptor: Int32

    /// Takes it. Throws if another process has it, and if a reset was begun and not finished, unless this is one.
    static func take(_ state: StateDirectory, forReset isReset: Bool = false) throws(ReaderdError) -> StateLock {
        let lock = try StateLock(state)
        if !isReset, state.has(ResetCommand.markerName) {
            throw .failed(
                "\(state.path): a reset was begun and not finished; do: readerd reset --state \(state.path) --yes")
        }
        return lock
    }

    private init(_ state: StateDirectory) throws(ReaderdError) {
        let path = state.file(StateLock.fileName)
        var isWritable = true
        descriptor = StateLock.open(state, &isWritable)
        guard descriptor >= 0 else {
            throw .file(path, "open it", errno: errno, remedy: StateLock.remedy(errno))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let why = errno
            guard why == EWOULDBLOCK else { throw .file(path, "lock it", errno: why) }
            let process = StateLock.owner(descriptor)
            throw .failed(
                "\(state.path): a readerd\(process) uses this state directory; end it first, "
                    + "for the service: systemctl stop readerd")
        }
        guard isWritable else { return }
        let text = Array("\(getpid())\n".utf8)
        // Only for the message above.
        if ftruncate(descriptor, 0) == 0 { _ = write(descriptor, text, text.count) }
    }

    /// The remedy for a file that cannot be opened.
    static func remedy(_ code: Int32) -> String {
        code == EACCES || code == EPERM
            ? "run this as the user that the state directory belongs to, or name another with --state" : ""
    }

    /// A file system that Linux has mounted read-only for its errors has the file of an earlier run, which can be
    /// locked as well: a reader that has all it needs there runs, and says what is wrong.
    private static func open(_ state: StateDirectory, _ isWritable: inout Bool) -> Int32 {
        let descriptor = state.open(fileName, O_RDWR | O_CREAT)
        guard descriptor < 0, errno == EROFS else { return descriptor }
        isWritable = false
        let existing = state.open(fileName, O_RDONLY)
        if existing < 0 { errno = EROFS }
        return existing
    }

    deinit { release() }

    private var isReleased = false

    /// Gives it back.
    func release() {
        guard !isReleased else { return }
        isReleased = true
        // Not by closing alone: a child that is being started shares the descriptor until it is its own program.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    private static func owner(_ descriptor: Int32) -> String {
        var octets = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &octets, octets.count, 0)
        guard count > 1, let process = Int32(String(decoding: octets[0..<count - 1], as: UTF8.self)) else { return "" }
        return " (process \(process))"
    }
}
