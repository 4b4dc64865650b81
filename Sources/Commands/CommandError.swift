// SPDX-License-Identifier: Apache-2.0

import Glibc
import System

/// The reason why a command cannot do its work, in one line, with its exit code. The program prints it.
public struct CommandError: Error, Equatable {
    /// The exit code for a wrong command; 1 is a failure.
    public static let wrongUse: Int32 = 2

    /// The exit code of the program.
    public let code: Int32
    /// The reason, in one line.
    public let text: String

    /// An error with this exit code and reason.
    public init(code: Int32, text: String) {
        self.code = code
        self.text = text
    }

    /// A failure.
    public static func failed(_ text: String) -> CommandError { CommandError(code: 1, text: text) }

    /// Wrong use, and a file that cannot be used.
    public static func misuse(_ text: String) -> CommandError { CommandError(code: wrongUse, text: text) }
}

extension CommandError {
    /// The reason in an error of any kind: a failure, unless it says otherwise.
    public init(_ error: any Error) { self = error as? CommandError ?? .failed("\(error)") }

    /// Replaces a file, readable by its owner only.
    ///
    /// - Parameter remedy: what to do if that fails, in a few words.
    public static func replace(_ path: String, with octets: [UInt8], remedy: String? = nil) throws(CommandError) {
        do throws(DurableFile.Failure) { try DurableFile.replace(path, with: octets) } catch {
            let reason = "\(error.path): cannot write it: \(String(cString: strerror(error.errno)))"
            throw .failed(reason + (remedy.map { "; \($0)" } ?? ""))
        }
    }

    /// Creates a file, readable by its owner only. Whatever exists at the path is kept, and is an error.
    public static func create(_ path: String, with octets: [UInt8]) throws(CommandError) {
        do throws(DurableFile.Failure) { try DurableFile.create(path, with: octets) } catch {
            guard error.errno != EEXIST else { throw exists(path) }
            let reason = String(cString: strerror(error.errno))
            throw .failed("\(error.path): cannot write it: \(reason); name another file")
        }
    }

    /// Throws the error of `create` for a path at which something exists, before work of which its file is the result.
    public static func checkNew(_ path: String) throws(CommandError) {
        var status = stat()
        guard lstat(path, &status) != 0 else { throw exists(path) }
    }

    private static func exists(_ path: String) -> CommandError {
        .misuse("\(path): exists, and is not replaced; move it away, or name a new file")
    }
}
