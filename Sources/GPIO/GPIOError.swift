// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The reason why a line cannot be used: the fault, the line and the remedy on one line.
public enum GPIOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The chip's device does not exist.
    case noSuchChip(LineReference)
    /// The chip has fewer lines.
    case noSuchOffset(LineReference)
    /// No readable chip has a line with this name.
    case noSuchName(LineReference)
    /// Several lines have this name.
    case ambiguousName(LineReference)
    /// Another process or a kernel driver holds the line.
    case busy(LineReference)
    /// This process may not open the chip.
    case notPermitted(LineReference)
    /// Any other error of the kernel, by errno; 0 if the kernel gave none.
    case failed(LineReference, operation: Operation, errno: Int32)

    /// The operation on the line.
    public enum Operation: String, Equatable, Sendable {
        /// Searching for its name.
        case find = "look for"
        /// Requesting it as an output.
        case open = "open"
        /// Setting its level.
        case set = "set"
        /// Reading its level.
        case get = "read"
    }

    /// The line.
    public var line: LineReference {
        switch self {
        case .noSuchChip(let line), .noSuchOffset(let line), .noSuchName(let line), .ambiguousName(let line),
            .busy(let line), .notPermitted(let line), .failed(let line, _, _):
            line
        }
    }

    /// The fault, the line and the remedy.
    public var description: String {
        switch self {
        case .noSuchChip: "GPIO line \(line): no such chip; list chips: gpiodetect"
        case .noSuchOffset: "GPIO line \(line): no such line on this chip; list lines: gpioinfo"
        case .noSuchName: "GPIO line \(line): no line of this name; list names: gpioinfo"
        case .ambiguousName:
            "GPIO line \(line): several lines of this name; write gpiochipN:LINE"
        case .busy: "GPIO line \(line): in use; list consumers: gpioinfo"
        case .notPermitted:
            "GPIO line \(line): permission denied; give the user access to /dev/gpiochip*, usually by group gpio"
        case .failed(_, let operation, let errno):
            "GPIO line \(line): cannot \(operation.rawValue) it: \(GPIOError.text(of: errno))"
        }
    }

    /// The error for an errno.
    static func from(errno: Int32, _ operation: Operation, _ line: LineReference) -> GPIOError {
        switch errno {
        case EBUSY: .busy(line)
        case EACCES, EPERM: .notPermitted(line)
        case ENOENT, ENODEV, ENXIO, ENOTTY: .noSuchChip(line)
        default: .failed(line, operation: operation, errno: errno)
        }
    }

    private static func text(of errno: Int32) -> String {
        errno == 0 ? "unknown error" : String(cString: strerror(errno))
    }
}
