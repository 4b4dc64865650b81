// SPDX-License-Identifier: Apache-2.0

import Emulation
import Glibc
package import HostLoop
package import System
package import Timekeeping

/// Splits the input of a descriptor into lines.
package struct CommandLines {
    private var octets: [UInt8] = []

    package init() {}

    /// Reads the available standard input, and calls `hear` with its lines, without empty ones. False at its end.
    fileprivate mutating func read(_ hear: (String) -> Void) -> Bool {
        // Reading would stop a process in the background of its terminal.
        if isatty(STDIN_FILENO) == 1, tcgetpgrp(STDIN_FILENO) != getpgrp() { return false }
        var part = [UInt8](repeating: 0, count: 4096)
        let count = Glibc.read(STDIN_FILENO, &part, part.count)
        if count < 0 { return errno == EINTR || errno == EAGAIN }
        for line in append(part[..<max(count, 0)]) where !line.isEmpty { hear(line) }
        return count > 0
    }

    /// The lines that these octets complete. A line beyond the limit is cut, which makes it an invalid command.
    package mutating func append(_ part: ArraySlice<UInt8>) -> [String] {
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

extension Reactor {
    /// Calls `hear` with each line of standard input. Nil for a regular file, which cannot be watched, and for none.
    package func watchLines(_ hear: @escaping (String) -> Void) -> Watch? {
        var lines = CommandLines()
        var input: Watch?
        input = try? watch(STDIN_FILENO, .readable) { _ in
            if !lines.read(hear) { input?.cancel() }
        }
        return input
    }
}

extension HostLoop where Device: ~Copyable {
    /// Calls `hear` with each line of standard input, if it can be watched.
    package func watchLines(_ hear: @escaping (inout Device, Instant, String) -> Void) {
        var lines = CommandLines()
        _ = watch(STDIN_FILENO) { device, now in lines.read { hear(&device, now, $0) } }
    }
}
