// SPDX-License-Identifier: Apache-2.0

import Commands
import Glibc
import System

/// A file that is written at the end of a run.
struct EmulationReportFile {
    let path: String
    /// The content in two words, for an error.
    let content: String

    /// Verifies that the file can be written.
    func check() throws(CommandError) {
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { throw unwritable(EISDIR) }
        guard access(DurableFile.directory(of: path), W_OK | X_OK) == 0 else { throw unwritable(errno) }
    }

    /// Replaces the file (mode 0600).
    func write(_ text: String) throws(CommandError) {
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: Array(text.utf8)) } catch {
            throw unwritable(error.errno)
        }
    }

    private func unwritable(_ code: Int32) -> CommandError {
        .failed(
            "\(path): cannot write \(content): \(String(cString: strerror(code))); name a file in a directory that "
                + "may be written")
    }
}
