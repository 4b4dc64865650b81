// SPDX-License-Identifier: Apache-2.0

@testable import readerd

/// The exit status of a command, and its lines on standard output and standard error.
typealias ProgramOutcome = (code: Int32, printed: [String], complaints: [String])

extension Program {
    /// Performs a command with these arguments.
    static func outcome(of arguments: [String]) -> ProgramOutcome {
        var (printed, complaints): ([String], [String]) = ([], [])
        let console = Console(print: { printed.append($0) }, complain: { complaints.append($0) })
        let code = Program(console: console).perform(arguments)
        return (code, printed, complaints)
    }
}
