// SPDX-License-Identifier: Apache-2.0

import CLinux
import Glibc

/// The synchronization of a reactor's thread with a thread that may block: a lock for shared state, and a wake-up for
/// either. The blocking thread is woken in `wait`, the reactor by a descriptor.
///
/// Times refer to the monotonic clock: the wall clock may be set during a wait.
public final class Mailbox: @unchecked Sendable {
    /// The descriptor for the reactor, readable from `wakeReactor` to `hasWoken`.
    public let descriptor: Int32
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    /// Creates the lock and the descriptor; nil if the process has no descriptor left.
    public init?() {
        descriptor = readerd_eventfd_create()
        guard descriptor >= 0 else { return nil }
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        changed = .allocate(capacity: 1)
        changed.initialize(to: pthread_cond_t())
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(changed, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        readerd_close(descriptor)
        pthread_cond_destroy(changed)
        changed.deallocate()
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
    }

    /// Calls `body` with the lock held.
    public func locked<Result>(_ body: () -> Result) -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return body()
    }

    // MARK: With the lock held

    /// Makes waiting threads reevaluate their conditions.
    public func signalChange() { pthread_cond_broadcast(changed) }

    /// Waits until `condition` is true; it is evaluated with the lock held.
    public func wait(until condition: () -> Bool) {
        while !condition() { pthread_cond_wait(changed, mutex) }
    }

    /// Waits until `condition` is true, at most for `duration`.
    ///
    /// - Returns: true if `condition` is true, false after the time-out.
    public func wait(_ duration: Duration, until condition: () -> Bool) -> Bool {
        var end = timespec()
        clock_gettime(CLOCK_MONOTONIC, &end)
        let (seconds, attoseconds) = duration.components
        end.tv_sec += Int(seconds)
        end.tv_nsec += Int(attoseconds / 1_000_000_000)
        if end.tv_nsec >= 1_000_000_000 { (end.tv_sec, end.tv_nsec) = (end.tv_sec + 1, end.tv_nsec - 1_000_000_000) }
        while !condition() {
            guard pthread_cond_timedwait(changed, mutex, &end) == 0 else { return condition() }
        }
        return true
    }

    // MARK: The reactor

    /// Makes the descriptor readable.
    public func wakeReactor() { _ = readerd_eventfd_signal(descriptor) }

    /// Makes the descriptor unreadable. Call this before reading the shared state, so that concurrent changes wake
    /// the reactor again.
    public func hasWoken() {
        var count: UInt64 = 0
        _ = readerd_read(descriptor, &count, MemoryLayout<UInt64>.size)
    }
}
