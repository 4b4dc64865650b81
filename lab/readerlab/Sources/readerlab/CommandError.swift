// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import System

/// The reason why a command cannot do its work, in one line, with its exit code. `Readerlab` prints it.
struct CommandError: Error, Equatable {
    let code: Int32
    let text: String

    /// A failure.
    static func failed(_ text: String) -> CommandError { CommandError(code: 1, text: text) }

    /// Wrong use, and a file that cannot be used.
    static func misuse(_ text: String) -> CommandError { CommandError(code: Readerlab.wrongUse, text: text) }

    /// Prints the reason on standard error, and returns the exit code.
    var told: ExitCode {
        EmulationOutput.write("readerlab: \(text)", to: STDERR_FILENO)
        return ExitCode(code)
    }
}

extension CommandError {
    /// The reason in an error of any kind: a failure, unless it says otherwise.
    init(_ error: any Error) { self = error as? CommandError ?? .failed("\(error)") }

    /// Replaces a file, readable by its owner only.
    ///
    /// - Parameter remedy: what to do if that fails, in a few words.
    static func replace(_ path: String, with octets: [UInt8], remedy: String? = nil) throws(CommandError) {
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: octets) } catch {
            let reason = "\(error.path): cannot write it: \(String(cString: strerror(error.errno)))"
            throw .failed(reason + (remedy.map { "; \($0)" } ?? ""))
        }
    }
}
