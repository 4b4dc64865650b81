import Emulation
import Glibc

/// Lines that come on a descriptor, whole or in pieces.
struct CommandLines {
    private var octets: [UInt8] = []
    private var isOver = false

    /// Reads what is there.
    ///
    /// - Returns: the lines that have ended, and whether there may be more.
    mutating func read(_ descriptor: Int32) -> (lines: [String], isOpen: Bool) {
        // One that runs in the background of a shell is not to be stopped for reading from its terminal.
        if isatty(descriptor) == 1, tcgetpgrp(descriptor) != getpgrp() { return ([], false) }
        var part = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(descriptor, &part, part.count)
        if count < 0 { return ([], errno == EINTR || errno == EAGAIN) }
        guard count > 0 else { return ([], false) }
        return (take(part[..<count]), true)
    }

    /// The lines that end in these octets. A line beyond the limit is cut there, which makes it no command.
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
