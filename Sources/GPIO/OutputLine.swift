import CGPIO
import Glibc

/// A GPIO line that this process drives, from opening it until the value's end.
///
/// What level the line keeps after its end is the chip driver's choice: see `docs/configuration.md`. A line whose chip
/// went away is taken anew when it is set after the chip is back.
public struct OutputLine: ~Copyable {
    /// The version of libgpiod's API that this was compiled against: 1 or 2.
    public static var libraryAPI: Int { Int(readerd_gpio_api()) }

    /// Where the line is, as it was asked for.
    public let reference: LineReference
    private let isActiveLow: Bool
    /// Nil from when the chip was found to be gone until it is back.
    private var output: OpaquePointer?

    /// Takes the line as an output that is `active` from the first moment on; with `activeLow`, active is the low
    /// level.
    public init(_ reference: LineReference, activeLow: Bool = false, active: Bool) throws(GPIOError) {
        self.reference = reference
        isActiveLow = activeLow
        output = try OutputLine.open(reference, activeLow: activeLow, active: active)
    }

    deinit { readerd_gpio_close(output) }

    private static func open(
        _ reference: LineReference, activeLow: Bool, active: Bool
    ) throws(GPIOError) -> OpaquePointer {
        var place = try locate(reference)
        var opened: OpaquePointer?
        var errno: Int32 = 0
        let outcome = readerd_gpio_open_output(&place, activeLow, active, &opened, &errno)
        guard let opened, outcome == READERD_GPIO_OK else { throw error(outcome, errno, .open, reference) }
        return opened
    }

    /// Drives the line. Throws while its chip is gone, and takes it anew when the chip is back.
    public mutating func set(_ active: Bool) throws(GPIOError) {
        guard let output else {
            self.output = try OutputLine.open(reference, activeLow: isActiveLow, active: active)
            return
        }
        var errno: Int32 = 0
        let outcome = readerd_gpio_set(output, active, &errno)
        guard outcome != READERD_GPIO_OK else { return }
        if errno == ENODEV {
            // What was taken is of no use any more, whether or not a chip of that name comes back.
            readerd_gpio_close(output)
            self.output = nil
        }
        throw OutputLine.error(outcome, errno, .set, reference)
    }

    /// Whether the kernel reads the line as active.
    public func get() throws(GPIOError) -> Bool {
        guard let output else { throw .noSuchChip(reference) }
        var errno: Int32 = 0
        var active = false
        let outcome = readerd_gpio_get(output, &active, &errno)
        guard outcome == READERD_GPIO_OK else { throw OutputLine.error(outcome, errno, .get, reference) }
        return active
    }

    /// Where the line is; a name is looked for.
    static func locate(_ reference: LineReference) throws(GPIOError) -> readerd_gpio_place {
        var place = readerd_gpio_place()
        switch reference.place {
        case .offset(let chip, let line):
            place.offset = line
            // The longest chip number has ten digits: the path always fits.
            let path = "/dev/gpiochip\(chip)"
            withUnsafeMutableBytes(of: &place.chip) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        case .name(let name):
            var errno: Int32 = 0
            let outcome = readerd_gpio_find(name, &place, &errno)
            guard outcome == READERD_GPIO_OK else { throw error(outcome, errno, .find, reference) }
        }
        return place
    }

    /// The error that an outcome of the C face means.
    static func error(
        _ outcome: readerd_gpio_outcome, _ errno: Int32, _ operation: GPIOError.Operation, _ line: LineReference
    ) -> GPIOError {
        switch outcome {
        case READERD_GPIO_NO_SUCH_OFFSET: .noSuchOffset(line)
        // A chip that could not be read may be the one that has the name: then the reason is what helps.
        case READERD_GPIO_NO_SUCH_NAME where errno == EACCES || errno == EPERM: .notPermitted(line)
        case READERD_GPIO_NO_SUCH_NAME: .noSuchName(line)
        case READERD_GPIO_AMBIGUOUS_NAME: .ambiguousName(line)
        case READERD_GPIO_NO_MEMORY: .failed(line, operation: operation, errno: ENOMEM)
        // ENODEV and the like mean a missing chip only while it is being opened.
        case READERD_GPIO_CHIP_FAILED: GPIOError.from(errno: errno, operation, line)
        default:
            errno == EBUSY || errno == EPERM || errno == EACCES
                ? GPIOError.from(errno: errno, operation, line)
                : .failed(line, operation: operation, errno: errno)
        }
    }
}
