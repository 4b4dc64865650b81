// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The log of a program under test: a named file, or an unnamed file that ends with the run.
package final class BenchLog {
    /// The file cannot be written.
    package struct Failure: Error { package let errno: CInt }

    /// The number of lines shown after a failed run.
    private static let tailLines = 20
    /// The number of octets at the end of the log that are searched for these lines.
    private static let tailCount = 1 << 14

    /// The descriptor for the program's output.
    package let descriptor: CInt

    /// Creates the file at `path`; nil creates an unnamed file.
    ///
    /// - Throws: `Failure` if it cannot be written.
    package init(_ path: String?) throws(Failure) {
        if let path {
            descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        } else {
            var name = Array("/tmp/readerlab-log-XXXXXX".utf8CString)
            descriptor = mkstemp(&name)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
                unlink(name)
            }
        }
        guard descriptor >= 0 else {
            throw Failure(errno: errno)
        }
    }

    deinit { close(descriptor) }

    /// The last lines.
    package func tail() -> [String] {
        let end = lseek(descriptor, 0, SEEK_END)
        let begin = max(0, end - off_t(BenchLog.tailCount))
        var octets = [UInt8](repeating: 0, count: Int(end - begin))
        let count = pread(descriptor, &octets, octets.count, begin)
        guard count > 0 else { return [] }
        return String(decoding: octets[..<count], as: UTF8.self).split(separator: "\n")
            .suffix(BenchLog.tailLines).map(String.init)
    }
}
