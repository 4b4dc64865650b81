// SPDX-License-Identifier: Apache-2.0

package import Commands
import Glibc

/// The end of a run by a signal: after its current part, so that its results are written.
///
/// The signals are blocked, and checked between parts. The second one ends the program at once.
package final class RunEnding {
    package private(set) var isAsked = false
    private let signals: EndingSignals

    /// Blocks the signals.
    package init() throws(CommandError) { signals = try EndingSignals() }

    deinit { signals.unblock() }

    /// True once a signal has arrived. Call it between parts of the run.
    package func look() -> Bool {
        guard !isAsked, signals.arrive(within: .zero) else { return isAsked }
        isAsked = true
        ConsoleOutput.write(
            "readerlab: ends here, and writes what was done; a second signal ends it at once", to: STDERR_FILENO)
        signals.unblock()
        return true
    }
}
