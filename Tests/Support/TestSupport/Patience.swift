import Glibc

/// How long a test waits for what has to come: far beyond what any machine needs, however busy it is with other tests, so
/// that only what hangs gets there.
public enum Patience {
    /// In seconds.
    public static let seconds = 600
    /// The same in milliseconds.
    public static let milliseconds = seconds * 1000
}

/// Whether the descriptor is ready now for these events of poll(2), or at its end.
public func isReady(_ descriptor: CInt, _ events: CInt) -> Bool {
    var probe = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    return poll(&probe, 1, 0) == 1
}

/// Waits until the descriptor is ready for these events of poll(2), or at its end; false when patience is.
public func becomes(_ descriptor: CInt, _ events: CInt) -> Bool {
    var probe = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    var count: CInt
    repeat { count = poll(&probe, 1, CInt(Patience.milliseconds)) } while count < 0 && errno == EINTR
    return count == 1
}

/// Asks until it is so, a moment after each time that it is not: where nothing tells when it becomes so. False when patience
/// is over.
public func comesTrue(_ isSo: () throws -> Bool) rethrows -> Bool {
    let pause = 5
    for _ in 0..<Patience.milliseconds / pause {
        if try isSo() { return true }
        poll(nil, 0, CInt(pause))
    }
    return false
}
