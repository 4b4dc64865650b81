// SPDX-License-Identifier: Apache-2.0

import Glibc
import Journal
import Octets

/// The output of a command. Nothing in it controls a terminal, whatever a reader, a phone or a file said.
struct Console {
    /// Prints a line of the result.
    let print: (String) -> Void
    /// Prints an error line.
    let complain: (String) -> Void
    /// Asks a question, and returns the line of the answer, or nil at the end of the input; nil without a terminal.
    var ask: ((String) -> String?)?

    init(
        print: @escaping (String) -> Void, complain: @escaping (String) -> Void, ask: ((String) -> String?)? = nil
    ) {
        self.print = { print($0.printableLines) }
        self.complain = { complain($0.printableLines) }
        self.ask = ask
    }

    /// Standard output and standard error.
    static var standard: Console {
        Console(
            print: { StandardStream.write($0 + "\n", to: STDOUT_FILENO) },
            complain: { StandardStream.write($0 + "\n", to: STDERR_FILENO) },
            ask: isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
                ? { question in
                    StandardStream.write(question.printableLines, to: STDOUT_FILENO)
                    return readLine()
                } : nil)
    }
}

extension String {
    /// The text with spaces up to this width, for a column.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
