// SPDX-License-Identifier: Apache-2.0

import CLinux
public import Timekeeping

/// The time of CLOCK_MONOTONIC, with the clock's origin.
public enum MonotonicClock {
    /// The current time.
    public static var now: Instant { Instant(nanoseconds: readerd_monotonic_nanoseconds()) }
}
