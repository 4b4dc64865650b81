// SPDX-License-Identifier: Apache-2.0

import Octets
import System

/// Lines of a program on a descriptor.
public enum ConsoleOutput {
    /// Writes a line immediately, so that the reader of a pipe receives it when it occurs. Errors of a closed stream
    /// are ignored. Nothing in it controls a terminal, whatever a device or a file says.
    ///
    /// - Parameter isStyled: true for a line with colours or movements of ours, in which no one else's text is left as
    ///   it was.
    public static func write(_ line: String, to descriptor: CInt, isStyled: Bool = false) {
        WholeWrite.write((isStyled ? line : line.printableLines) + "\n", to: descriptor)
    }
}
