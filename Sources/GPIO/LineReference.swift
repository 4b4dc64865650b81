// SPDX-License-Identifier: Apache-2.0

/// A reference to a GPIO line: `gpiochip0:17`, `/dev/gpiochip0:17`, or the line's name in the device tree.
public struct LineReference: Hashable, Sendable, CustomStringConvertible {
    /// The two kinds of reference.
    public enum Place: Hashable, Sendable {
        /// The number of the chip, and the number of the line on it.
        case offset(chip: UInt32, line: UInt32)
        /// The name, searched on all chips.
        case name(String)
    }

    /// The maximum length of a line's name in the kernel: GPIO_MAX_NAME_SIZE is 32 including the terminating zero.
    public static let maximumNameCount = 31

    /// The referenced line.
    public let place: Place

    /// Parses a reference.
    ///
    /// Text that begins like a chip's device is never taken for a name: names may contain a colon, so that
    /// `gpiochip0:1x` would be searched instead of being refused.
    public init(_ text: String) throws(LineReferenceError) {
        guard !text.isEmpty else { throw .empty }
        var rest = text[...]
        if rest.hasPrefix("/dev/") { rest = rest.dropFirst(5) }
        guard rest.hasPrefix("gpiochip") else {
            guard !text.hasPrefix("/") else { throw .notAChip(text) }
            // A number, with or without a chip's number, is a common mistake and is not accepted as a name.
            if text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: ":") ~= $0 }) { throw .chipMissing(text) }
            place = .name(try LineReference.name(text))
            return
        }
        let parts = rest.dropFirst(8).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let chip = LineReference.number(parts[0]) else { throw .notAChip(text) }
        guard parts.count == 2 else { throw .offsetMissing(text) }
        guard let line = LineReference.number(parts[1]) else { throw .notAnOffset(text) }
        place = .offset(chip: chip, line: line)
    }

    /// The notation in a configuration.
    public var description: String {
        switch place {
        case .offset(let chip, let line): "gpiochip\(chip):\(line)"
        case .name(let name): name
        }
    }

    /// Parses decimal digits only: `UInt32` alone would also accept a sign.
    private static func number(_ text: Substring) -> UInt32? {
        guard text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
        return UInt32(text)
    }

    private static func name(_ text: String) throws(LineReferenceError) -> String {
        guard text.utf8.count <= maximumNameCount else { throw .nameTooLong(text) }
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }), text.utf8.first != 0x20, text.utf8.last != 0x20
        else { throw .forbiddenCharacter }
        return text
    }
}

/// An error in a reference to a line.
public enum LineReferenceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is empty.
    case empty
    /// It begins like a device, but does not name a GPIO chip.
    case notAChip(String)
    /// A chip without a line.
    case offsetMissing(String)
    /// A number without a chip.
    case chipMissing(String)
    /// The part after the colon is not a line number.
    case notAnOffset(String)
    /// Longer than the kernel's names.
    case nameTooLong(String)
    /// A control character, or a leading or trailing space.
    case forbiddenCharacter

    /// The error and the remedy.
    public var description: String {
        switch self {
        case .empty: "no line; write a line name or gpiochipN:LINE"
        case .notAChip(let text): "\"\(text)\" is not a GPIO chip; write gpiochipN:LINE or a line name"
        case .offsetMissing(let text): "\"\(text)\" names a chip but no line; write \(text):LINE"
        case .chipMissing(let text):
            "\"\(text)\" is a number, and no line's name: on which chip? write gpiochipN:LINE, as in "
                + "gpiochip0:\(text.split(separator: ":").last ?? "17"); gpioinfo lists chips and lines"
        case .notAnOffset(let text): "\"\(text)\" has no line number after the colon; write gpiochipN:LINE"
        case .nameTooLong(let text):
            "\"\(text)\" exceeds the length of a line name (\(LineReference.maximumNameCount) octets)"
        case .forbiddenCharacter: "a line name has no control characters and no space at its ends"
        }
    }
}
