// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc

/// SIGINT and SIGTERM during a run: the run ends after its current part, so that its results are written.
///
/// The signals are blocked, and checked between parts. The second one ends the program at once.
package final class RunEnding {
    package private(set) var isAsked = false

    /// Blocks the signals.
    package init() { RunEnding.mask(SIG_BLOCK) }

    deinit { if !isAsked { RunEnding.mask(SIG_UNBLOCK) } }

    private static var signals: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGINT, SIGTERM] { sigaddset(&set, number) }
        return set
    }

    private static func mask(_ how: CInt) {
        var set = signals
        pthread_sigmask(how, &set, nil)
    }

    /// True once a signal has arrived. Call it between parts of the run.
    package func look() -> Bool {
        guard !isAsked else { return true }
        var set = RunEnding.signals
        var none = timespec()
        guard sigtimedwait(&set, nil, &none) > 0 else { return false }
        isAsked = true
        ConsoleOutput.write(
            "readerlab: ends here, and writes what was done; a second signal ends it at once", to: STDERR_FILENO)
        RunEnding.mask(SIG_UNBLOCK)
        return true
    }
}
