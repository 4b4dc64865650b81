// SPDX-License-Identifier: Apache-2.0

import CGPIO
import Glibc

/// A GPIO line requested as an output, until deinitialization.
///
/// The level of the line afterwards is determined by the chip's driver: see `docs/operate/configuration.md`. A line
/// whose chip has disappeared is requested again when it is set after the chip's return.
public struct OutputLine: ~Copyable {
    /// The version of libgpiod's API at compile time: 1 or 2.
    public static var libraryAPI: Int { Int(readerd_gpio_api()) }

    /// The reference with which the line was requested.
    public let reference: LineReference
    private let isActiveLow: Bool
    /// The request; nil while the chip is gone.
    private var output: OpaquePointer?

    /// Requests the line as an output that is immediately `active`; with `activeLow`, the low level is active.
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

    /// Sets the line. Throws while its chip is gone, and requests the line again when the chip has returned.
    public mutating func set(_ active: Bool) throws(GPIOError) {
        guard let output else {
            self.output = try OutputLine.open(reference, activeLow: isActiveLow, active: active)
            return
        }
        var errno: Int32 = 0
        let outcome = readerd_gpio_set(output, active, &errno)
        guard outcome != READERD_GPIO_OK else { return }
        if errno == ENODEV {
            // The request has become unusable, even if a chip with that name returns.
            readerd_gpio_close(output)
            self.output = nil
        }
        throw OutputLine.error(outcome, errno, .set, reference)
    }

    /// Returns true if the line reads as active.
    public func get() throws(GPIOError) -> Bool {
        guard let output else { throw .noSuchChip(reference) }
        var errno: Int32 = 0
        var active = false
        let outcome = readerd_gpio_get(output, &active, &errno)
        guard outcome == READERD_GPIO_OK else { throw OutputLine.error(outcome, errno, .get, reference) }
        return active
    }

    /// The location of the line; a name is searched.
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

    /// The error for an outcome of the C interface.
    static func error(
        _ outcome: readerd_gpio_outcome, _ errno: Int32, _ operation: GPIOError.Operation, _ line: LineReference
    ) -> GPIOError {
        switch outcome {
        case READERD_GPIO_NO_SUCH_OFFSET: .noSuchOffset(line)
        // An unreadable chip may have the name: its error is the more helpful one.
        case READERD_GPIO_NO_SUCH_NAME where errno == EACCES || errno == EPERM: .notPermitted(line)
        case READERD_GPIO_NO_SUCH_NAME: .noSuchName(line)
        case READERD_GPIO_AMBIGUOUS_NAME: .ambiguousName(line)
        case READERD_GPIO_NO_MEMORY: .failed(line, operation: operation, errno: ENOMEM)
        // ENODEV and similar errors mean a missing chip only while it is being opened.
        case READERD_GPIO_CHIP_FAILED: GPIOError.from(errno: errno, operation, line)
        default:
            errno == EBUSY || errno == EPERM || errno == EACCES
                ? GPIOError.from(errno: errno, operation, line)
                : .failed(line, operation: operation, errno: errno)
        }
    }
}
