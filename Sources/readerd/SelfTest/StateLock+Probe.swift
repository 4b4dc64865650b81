import Glibc

extension StateLock {
    /// Whether a process has the state directory at this moment; nothing is taken or made.
    static func isHeld(in state: StateDirectory) -> Bool {
        let descriptor = state.open(fileName, O_RDONLY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else {
            _ = flock(descriptor, LOCK_UN)
            return false
        }
        return errno == EWOULDBLOCK
    }
}
