// SPDX-License-Identifier: Apache-2.0

import Emulation
import Glibc

/// Splits the input of a descriptor into lines.
struct CommandLines {
    private var octets: [UInt8] = []
    private var isOver = false

    /// Reads the available input.
    ///
    /// - Returns: the complete lines; false for `isOpen` at the end of the input.
    mutating func read(_ descriptor: Int32) -> (lines: [String], isOpen: Bool) {
        // Reading would stop a process in the background of its terminal.
        if isatty(descriptor) == 1, tcgetpgrp(descriptor) != getpgrp() { return ([], false) }
        var part = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &part, part.count)
        if count < 0 { return ([], errno == EINTR || errno == EAGAIN) }
        guard count > 0 else { return ([], false) }
        return (take(part[..<count]), true)
    }

    /// The lines that these octets complete. A line beyond the limit is cut, which makes it an invalid command.
    mutating func take(_ part: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        for octet in part {
            if octet == 0x0A {
                lines.append(String(decoding: octets, as: UTF8.self))
                octets.removeAll(keepingCapacity: true)
            } else if octets.count <= EmulationCommand.maximumLine {
                octets.append(octet)
            }
        }
        return lines
    }
}
