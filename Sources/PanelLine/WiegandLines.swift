// SPDX-License-Identifier: Apache-2.0

public import GPIO
import Glibc
import System
public import Timekeeping

/// The GPIO lines DATA0 and DATA1, with the machine's clock. To be used by one thread, which waits.
public struct WiegandLines: ~Copyable, WiegandWire {
    /// The last part of a wait, which is spent in a loop: the time that the kernel needs to wake a thread.
    private static let wakeUp = Duration.microseconds(100)
    /// The priority among threads of the class SCHED_FIFO, the lowest but one.
    private static let priority: CInt = 2

    private var data0: OutputLine
    private var data1: OutputLine

    /// Requests both lines, neither pulled down. `activeLow`: the low level pulls down.
    public init(data0: LineReference, data1: LineReference, activeLow: Bool) throws(GPIOError) {
        let zero = try OutputLine(data0, activeLow: activeLow, active: false)
        let one = try OutputLine(data1, activeLow: activeLow, active: false)
        self.data0 = zero
        self.data1 = one
    }

    /// The time of CLOCK_MONOTONIC.
    public var now: Instant { MonotonicClock.now }

    /// Pulls DATA1 or DATA0 down, or releases it. Throws while the chip is gone.
    public mutating func pull(_ isOne: Bool, _ isDown: Bool) throws(GPIOError) {
        if isOne { try data1.set(isDown) } else { try data0.set(isDown) }
    }

    /// Waits until a time, the end of it in a loop.
    public func wait(until time: Instant) {
        let sleep = time - now - WiegandLines.wakeUp
        if sleep > .zero { WiegandLines.sleep(for: sleep) }
        while now < time {}
    }

    private static func sleep(for duration: Duration) {
        let nanoseconds = duration.wholeNanoseconds
        var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
        // A signal ends it early: the loop has the rest.
        nanosleep(&time, nil)
    }

    /// Runs the calling thread before all others (SCHED_FIFO), so that no pulse is longer than it should be. False
    /// without the right to it (RLIMIT_RTPRIO, or `RestrictRealtime=` of the unit).
    public static func hasteThread() -> Bool {
        var parameters = sched_param()
        parameters.sched_priority = priority
        return pthread_setschedparam(pthread_self(), SCHED_FIFO, &parameters) == 0
    }
}
