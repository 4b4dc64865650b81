// SPDX-License-Identifier: Apache-2.0

import Glibc

extension StateLock {
    /// True if a process holds the lock of the state directory. Neither takes nor creates it.
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
