// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The time that a test waits for an expected event: far beyond the need of any machine, however busy with other tests,
/// so that only a hang reaches it.
public enum TestTimeout {
    /// The limit in seconds.
    public static let seconds = 600
    /// The limit in milliseconds.
    public static let milliseconds = seconds * 1000
}

/// Returns whether the descriptor is ready now for these events of poll(2), or at its end.
public func isReady(_ descriptor: CInt, _ events: CInt) -> Bool {
    var probe = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&probe, 1, 0) == 1
}

/// Waits until the descriptor is ready for these events of poll(2), or at its end; false after `TestTimeout`.
public func becomes(_ descriptor: CInt, _ events: CInt) -> Bool {
    var probe = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    var count: CInt
    repeat { count = poll(&probe, 1, CInt(TestTimeout.milliseconds)) } while count < 0 && errno == EINTR
    return count == 1
}

/// Polls a condition until it holds, with a short pause after each failed attempt, for conditions without a
/// notification. Returns false after `TestTimeout`.
public func eventually(_ isSo: () throws -> Bool) rethrows -> Bool {
    let pause = 5
    for _ in 0..<TestTimeout.milliseconds / pause {
        if try isSo() { return true }
        poll(nil, 0, CInt(pause))
    }
    return false
}
