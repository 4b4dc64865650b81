// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason for the program's end, in one line for the operator.
struct ReaderdError: Error, Equatable, CustomStringConvertible {
    /// The program's exit status: 1 for a failure, 2 for wrong usage.
    let exitCode: Int32
    /// The problem, its place and its remedy.
    let description: String

    /// A failure.
    static func failed(_ text: String) -> ReaderdError { ReaderdError(exitCode: 1, description: text) }

    /// Wrong usage.
    static func usage(_ text: String) -> ReaderdError { ReaderdError(exitCode: 2, description: text) }

    /// A failed system call on a file.
    static func file(_ path: String, _ doing: String, errno: Int32, remedy: String = "") -> ReaderdError {
        .failed("\(path): cannot \(doing): \(String(cString: strerror(errno)))" + (remedy.isEmpty ? "" : "; \(remedy)"))
    }
}
