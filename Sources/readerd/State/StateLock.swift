// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Exclusive access of a process to a state directory: the running reader, or a command that changes the reader's
/// identity or state. The kernel releases the lock at the process's end.
final class StateLock {
    /// The lock's file, which remains after the release.
    static let fileName = "readerd.lock"
    /// The file that shows an incomplete reset.
    static let resetMarkerName = "reset-unfinished"

    private let descriptor: Int32

    /// Takes the lock.
    ///
    /// - Throws: An error if another process holds it, or, except with `isReset`, if a reset was not completed.
    static func acquire(_ state: StateDirectory, forReset isReset: Bool = false) throws(ReaderdError) -> StateLock {
        let lock = try StateLock(state)
        if !isReset, state.has(StateLock.resetMarkerName) {
            throw .failed(
                "\(state.path): incomplete reset; run: readerd reset --state \(state.path) --yes")
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
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .failed("\(path): not a regular file; remove it")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let why = errno
            guard why == EWOULDBLOCK else { throw .file(path, "lock it", errno: why) }
            let process = StateLock.owner(descriptor)
            throw .failed(
                "\(state.path): in use by a readerd\(process); stop it first (service: systemctl stop readerd)")
        }
        guard isWritable else { return }
        let text = Array("\(getpid())\n".utf8)
        // For the message of another process only.
        if ftruncate(descriptor, 0) == 0 { _ = write(descriptor, text, text.count) }
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

    deinit { release() }

    private var isReleased = false

    /// Releases the lock.
    func release() {
        guard !isReleased else { return }
        isReleased = true
        // Closing alone is not enough: a child process shares the descriptor between fork and exec.
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
