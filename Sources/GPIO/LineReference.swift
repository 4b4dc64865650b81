/// Which line of which chip: `gpiochip0:17`, `/dev/gpiochip0:17`, or a line's name, as a device tree gives it.
public struct LineReference: Hashable, Sendable, CustomStringConvertible {
    /// The two ways of saying it.
    public enum Place: Hashable, Sendable {
        /// The number of the chip's device and the number of the line on it.
        case offset(chip: UInt32, line: UInt32)
        /// The name, looked for on every chip.
        case name(String)
    }

    /// Longest name of a line that the kernel keeps: GPIO_MAX_NAME_SIZE is 32 with the terminating zero.
    public static let maximumNameCount = 31

    /// What it says.
    public let place: Place

    /// The reference that `text` writes.
    ///
    /// Text that begins like a chip's device is never taken for a name: a name may hold a colon, so
    /// `gpiochip0:1x` would otherwise be searched for instead of being refused.
    public init(_ text: String) throws(LineReferenceError) {
        guard !text.isEmpty else { throw .empty }
        var rest = text[...]
        if rest.hasPrefix("/dev/") { rest = rest.dropFirst(5) }
        guard rest.hasPrefix("gpiochip") else {
            guard !text.hasPrefix("/") else { throw .notAChip(text) }
            place = .name(try LineReference.name(text))
            return
        }
        let parts = rest.dropFirst(8).split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let chip = LineReference.number(parts[0]) else { throw .notAChip(text) }
        guard parts.count == 2 else { throw .offsetMissing(text) }
        guard let line = LineReference.number(parts[1]) else { throw .notAnOffset(text) }
        place = .offset(chip: chip, line: line)
    }

    /// As it is written in a configuration.
    public var description: String {
        switch place {
        case .offset(let chip, let line): "gpiochip\(chip):\(line)"
        case .name(let name): name
        }
    }

    /// Decimal digits only: `UInt32` alone would also take a sign.
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

/// What is wrong with a reference to a line.
public enum LineReferenceError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Nothing is written.
    case empty
    /// It begins like a device, and no GPIO chip has such a one.
    case notAChip(String)
    /// A chip, without the line.
    case offsetMissing(String)
    /// What follows the colon is not a line's number.
    case notAnOffset(String)
    /// Longer than the kernel's names are.
    case nameTooLong(String)
    /// A control character, or a space at an end.
    case forbiddenCharacter

    /// What is wrong, and what to write.
    public var description: String {
        switch self {
        case .empty: "no line is named; write a line's name or gpiochipN:LINE"
        case .notAChip(let text): "\"\(text)\" is not a GPIO chip; write gpiochipN:LINE, or a line's name"
        case .offsetMissing(let text): "\"\(text)\" is a chip without a line; write \(text):LINE"
        case .notAnOffset(let text): "\"\(text)\" has no line number after the colon; write gpiochipN:LINE"
        case .nameTooLong(let text):
            "\"\(text)\" is longer than a line's name can be (\(LineReference.maximumNameCount) octets)"
        case .forbiddenCharacter: "a line's name has no control characters, and no space at its ends"
        }
    }
}
