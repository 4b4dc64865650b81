// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// The signals that end a program whose main thread waits for them, because its calls block or its work has other
/// threads, or looks for them between the parts of its work.
public struct EndingSignals: Sendable {
    private let set: sigset_t

    /// Blocks `Reactor.endingSignals` and these signals, and ignores SIGPIPE. Call this before the process starts any
    /// thread.
    public init(and further: [CInt] = []) throws(CommandError) {
        let signals = Reactor.endingSignals + further
        do throws(SystemError) { try Reactor.blockSignals(signals) } catch { throw .failed("\(error)") }
        signal(SIGPIPE, SIG_IGN)
        var set = sigset_t()
        sigemptyset(&set)
        for number in signals { sigaddset(&set, number) }
        self.set = set
    }

    /// Sends the signal that ends this program, from any thread.
    public static func send() { kill(getpid(), SIGTERM) }

    /// Waits for a signal. Returns its number.
    public func wait() -> CInt {
        var set = set
        var number: CInt = 0
        while sigwait(&set, &number) != 0 {}
        return number
    }

    /// Waits for a signal. Returns true if one arrives within this time.
    public func arrive(within duration: Duration) -> Bool {
        var set = set
        let (seconds, attoseconds) = duration.components
        var time = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
        return sigtimedwait(&set, nil, &time) > 0
    }

    /// Unblocks the signals for this thread: the next one ends the program at once.
    public func unblock() {
        var set = set
        pthread_sigmask(SIG_UNBLOCK, &set, nil)
    }
}
