import Glibc

/// Why a line cannot be used: what happened, where, and what to do, in one line.
public enum GPIOError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The chip's device does not exist.
    case noSuchChip(LineReference)
    /// The chip has fewer lines.
    case noSuchOffset(LineReference)
    /// No chip that could be read has a line of this name.
    case noSuchName(LineReference)
    /// Several lines have this name.
    case ambiguousName(LineReference)
    /// Another process or a kernel driver holds the line.
    case busy(LineReference)
    /// This process may not open the chip.
    case notPermitted(LineReference)
    /// Anything else that the kernel said, by errno; 0 where it said nothing.
    case failed(LineReference, operation: Operation, errno: Int32)

    /// What was being done with the line.
    public enum Operation: String, Equatable, Sendable {
        /// Looking for its name.
        case find = "look for"
        /// Taking it as an output.
        case open = "open"
        /// Driving it.
        case set = "set"
        /// Reading it back.
        case get = "read"
    }

    /// The line it is about.
    public var line: LineReference {
        switch self {
        case .noSuchChip(let line), .noSuchOffset(let line), .noSuchName(let line), .ambiguousName(let line),
            .busy(let line), .notPermitted(let line), .failed(let line, _, _):
            line
        }
    }

    /// What happened, where, and what to do.
    public var description: String {
        switch self {
        case .noSuchChip: "GPIO line \(line): there is no such chip; list the chips with: gpiodetect"
        case .noSuchOffset: "GPIO line \(line): the chip has fewer lines; list them with: gpioinfo"
        case .noSuchName: "GPIO line \(line): no chip has a line of this name; list the names with: gpioinfo"
        case .ambiguousName:
            "GPIO line \(line): several lines have this name; name the chip as well, as gpiochipN:LINE"
        case .busy: "GPIO line \(line): something else holds it; see who with: gpioinfo"
        case .notPermitted:
            "GPIO line \(line): not permitted; give the user access to /dev/gpiochip*, usually by the group gpio"
        case .failed(_, let operation, let errno):
            "GPIO line \(line): cannot \(operation.rawValue) it: \(GPIOError.text(of: errno))"
        }
    }

    /// The error that an errno means for a line.
    static func from(errno: Int32, _ operation: Operation, _ line: LineReference) -> GPIOError {
        switch errno {
        case EBUSY: .busy(line)
        case EACCES, EPERM: .notPermitted(line)
        case ENOENT, ENODEV, ENXIO, ENOTTY: .noSuchChip(line)
        default: .failed(line, operation: operation, errno: errno)
        }
    }

    private static func text(of errno: Int32) -> String {
        errno == 0 ? "no reason given" : String(cString: strerror(errno))
    }
}
