// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Commands
import Glibc

extension CommandError {
    /// Prints the reason on standard error, and returns the exit code.
    var reported: ExitCode {
        ConsoleOutput.write("readerlab: \(text)", to: STDERR_FILENO)
        return ExitCode(code)
    }
}
