import Glibc

/// Why the program ends, in one line for the person who started it.
struct ReaderdError: Error, Equatable, CustomStringConvertible {
    /// The program's exit status: 1, it ran and failed; 2, it was used wrongly.
    let exitCode: Int32
    /// What, where, and what to do.
    let description: String

    /// It ran and failed.
    static func failed(_ text: String) -> ReaderdError { ReaderdError(exitCode: 1, description: text) }

    /// It was used wrongly.
    static func usage(_ text: String) -> ReaderdError { ReaderdError(exitCode: 2, description: text) }

    /// A system call on a file failed.
    static func file(_ path: String, _ doing: String, errno: Int32, remedy: String = "") -> ReaderdError {
        .failed("\(path): cannot \(doing): \(String(cString: strerror(errno)))" + (remedy.isEmpty ? "" : "; \(remedy)"))
    }
}
