// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// The progress of a bench in one line of a terminal; in a pipe there is none.
package enum BenchProgress {
    /// Rewrites the line: `done` parts of all, and the one that is next; the line is removed with the last part.
    package static func show(_ done: Int, of all: Int, _ next: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        WholeWrite.write(
            done == all ? "\r\u{1B}[K" : "\r\u{1B}[K\(done) of \(all) done, now \(next)", to: STDERR_FILENO)
    }
}
