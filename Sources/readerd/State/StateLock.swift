// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Exclusive access of a process to a state directory: the running reader, or a command that changes the reader's
/// identity or state. The kernel releases the lock at the process's end. `Holder` has the record in its file.
final class StateLock {
    /// The lock's file, which remains after the release.
    static let fileName = "readerd.lock"
    /// The file that shows an incomplete reset.
    static let resetMarkerName = "reset-unfinished"

    private let descriptor: Int32
    private let isWritable: Bool

    /// The result of one attempt.
    enum Attempt {
        case taken(StateLock)
        /// The lock is held; the holder is nil if its record does not show it.
        case held(by: Holder?)
    }

    /// Attempts to take the lock for a command, or for the reader as `run`.
    ///
    /// - Throws: An error if the file cannot be locked, or, except for a reset, if a reset was not completed.
    static func attempt(_ state: StateDirectory, for name: CommandName) throws(ReaderdError) -> Attempt {
        let lock = try StateLock(opening: state)
        guard flock(lock.descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let why = errno
            guard why == EWOULDBLOCK else { throw .file(state.file(fileName), "lock it", errno: why) }
            return .held(by: Holder.recorded(in: lock.descriptor))
        }
        lock.isHeld = true
        lock.record(Holder(process: getpid(), name: name).text)
        if name != .reset, state.has(StateLock.resetMarkerName) {
            throw .failed("\(state.path): incomplete reset; run: readerd reset --state \(state.path) --yes")
        }
        return .taken(lock)
    }

    private init(opening state: StateDirectory) throws(ReaderdError) {
        let path = state.file(StateLock.fileName)
        var isWritable = true
        descriptor = StateLock.open(state, &isWritable)
        self.isWritable = isWritable
        guard descriptor >= 0 else {
            throw .file(path, "open it", errno: errno, remedy: StateLock.remedy(errno))
        }
        guard StateLock.isRegular(descriptor) else { throw .failed("\(path): not a regular file; remove it") }
    }

    /// Replaces the record of the holder.
    private func record(_ text: String) {
        guard isWritable, ftruncate(descriptor, 0) == 0 else { return }
        let octets = Array(text.utf8)
        _ = pwrite(descriptor, octets, octets.count, 0)
    }

    /// Returns the remedy for a file that cannot be opened.
    static func remedy(_ code: Int32) -> String {
        code == EACCES || code == EPERM
            ? "run this as the owner of the state directory, or name another with --state" : ""
    }

    /// Opens the file. On a file system that Linux has remounted read-only after errors, the file of an earlier run is
    /// locked instead, so that the reader can run and report the fault. An entry of another type is put aside, and a
    /// file without permissions gets them from its owner.
    private static func open(_ state: StateDirectory, _ isWritable: inout Bool) -> Int32 {
        var descriptor = state.open(fileName, O_RDWR | O_CREAT | O_NONBLOCK)
        let code = errno
        if descriptor < 0, code == EACCES, state.permitOwner(fileName) == 0 {
            descriptor = state.open(fileName, O_RDWR | O_CREAT | O_NONBLOCK)
        } else if descriptor < 0 ? [EISDIR, ELOOP, ENXIO].contains(code) : !isRegular(descriptor) {
            if descriptor >= 0 { close(descriptor) }
            guard (try? state.putAside(fileName)) != nil else { return -1 }
            descriptor = state.open(fileName, O_RDWR | O_CREAT | O_NONBLOCK)
        } else {
            errno = code
        }
        guard descriptor < 0, errno == EROFS else { return descriptor }
        isWritable = false
        let existing = state.open(fileName, O_RDONLY)
        if existing < 0 { errno = EROFS }
        return existing
    }

    private static func isRegular(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    deinit {
        release()
        if descriptor >= 0 { close(descriptor) }
    }

    private var isHeld = false

    /// Releases the lock.
    func release() {
        guard isHeld else { return }
        isHeld = false
        // The next holder has no record until it has written its own.
        record("")
        // Closing alone is not enough: a child process shares the descriptor between fork and exec.
        _ = flock(descriptor, LOCK_UN)
    }
}
