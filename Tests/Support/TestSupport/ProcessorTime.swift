// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The processor time in seconds that this thread spends in `body`: other work on the machine has no part in it.
public func processorTime(_ body: () throws -> Void) rethrows -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let begin = now()
    try body()
    return now() - begin
}
