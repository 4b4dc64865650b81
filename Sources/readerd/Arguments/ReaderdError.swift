// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason for the program's end, in one line for the operator.
struct ReaderdError: Error, Equatable, CustomStringConvertible {
    /// The program's exit status: 1 for a failure, 2 for wrong usage.
    let exitCode: Int32
    /// The problem, its place and its remedy.
    let description: String
    /// The path of the entry whose contents or type cannot be used; nil for any other failure.
    private(set) var damaged: String?

    /// A failure.
    static func failed(_ text: String) -> ReaderdError { ReaderdError(exitCode: 1, description: text) }

    /// A file whose contents cannot be used, or an entry of the wrong type.
    static func damaged(_ path: String, _ problem: String) -> ReaderdError {
        ReaderdError(exitCode: 1, description: "\(path): \(problem)", damaged: path)
    }

    /// Wrong usage.
    static func usage(_ text: String) -> ReaderdError { ReaderdError(exitCode: 2, description: text) }

    /// A file that cannot be read, for whatever reason but a lack of resources.
    static func unreadable(_ path: String, _ doing: String, errno: Int32) -> ReaderdError {
        guard ![EMFILE, ENFILE, ENOMEM].contains(errno) else { return .file(path, doing, errno: errno) }
        return .damaged(path, "cannot \(doing): \(String(cString: strerror(errno)))")
    }

    /// A failed system call on a file.
    static func file(_ path: String, _ doing: String, errno: Int32, remedy: String = "") -> ReaderdError {
        .failed("\(path): cannot \(doing): \(String(cString: strerror(errno)))" + (remedy.isEmpty ? "" : "; \(remedy)"))
    }
}
