// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The error of a test whose pseudo-terminal cannot be opened.
public struct NoPseudoTerminal: Error {
    /// The number of the system's error.
    public let errno: CInt
}

/// Opens a pseudo-terminal: the far end, which the caller closes, and the path of the near one.
public func openPseudoTerminal() throws -> (descriptor: CInt, path: String) {
    var (far, near): (CInt, CInt) = (-1, -1)
    var name = [CChar](repeating: 0, count: 64)
    guard openpty(&far, &near, &name, nil, nil) == 0 else { throw NoPseudoTerminal(errno: errno) }
    // What is tested opens the near end itself, by its path.
    close(near)
    return (far, String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
}

/// The far end of a pseudo-terminal, closed at the end of the test.
public final class PseudoTerminal {
    /// The far end.
    public let descriptor: CInt
    /// The path of the near end.
    public let path: String

    /// Opens a pseudo-terminal.
    public init() throws { (descriptor, path) = try openPseudoTerminal() }

    deinit { close(descriptor) }
}
