// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// The progress of a bench in one line of a terminal; without a terminal nothing is printed.
package enum BenchProgress {
    /// Rewrites the line with the number of completed parts and the name of the next part. After the last part it is
    /// removed.
    package static func show(_ done: Int, of all: Int, _ next: String) {
        guard isatty(STDERR_FILENO) == 1 else { return }
        WholeWrite.write(
            done == all ? "\r\u{1B}[K" : "\r\u{1B}[K\(done) of \(all) done, now \(next)", to: STDERR_FILENO)
    }
}
