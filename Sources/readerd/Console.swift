// SPDX-License-Identifier: Apache-2.0

import Glibc
import Journal

/// The output of a command.
struct Console {
    /// Prints a line of the result.
    let print: (String) -> Void
    /// Prints an error line.
    let complain: (String) -> Void

    /// Standard output and standard error.
    static var standard: Console {
        Console(
            print: { StandardStream.write($0 + "\n", to: STDOUT_FILENO) },
            complain: { StandardStream.write($0 + "\n", to: STDERR_FILENO) })
    }
}
