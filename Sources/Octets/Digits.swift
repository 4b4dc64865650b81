// SPDX-License-Identifier: Apache-2.0

/// Octets as hexadecimal digits, two each.
public enum Hexadecimal {
    /// The digits of the octets.
    public static func text(
        _ octets: some Sequence<UInt8>, separator: String = "", uppercase: Bool = false
    ) -> String {
        octets.map { $0.padded(to: 2, radix: 16, uppercase: uppercase) }.joined(separator: separator)
    }

    /// The octets of digits in either case, with a separator between octets if one is given; nil for any other text.
    public static func octets(_ text: some StringProtocol, separator: UInt8? = nil) -> [UInt8]? {
        let digits = Array(text.utf8)
        let step = separator == nil ? 2 : 3
        guard separator == nil ? digits.count.isMultiple(of: 2) : (digits.count + 1).isMultiple(of: 3) else {
            return nil
        }
        var octets: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: step) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            octets.append(high << 4 | low)
            if let separator, index + 2 < digits.count, digits[index + 2] != separator { return nil }
        }
        return octets
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

extension BinaryInteger {
    /// The number with leading zeros up to this count of digits.
    public func padded(to count: Int, radix: Int = 10, uppercase: Bool = false) -> String {
        let digits = String(self, radix: radix, uppercase: uppercase)
        return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
    }
}
