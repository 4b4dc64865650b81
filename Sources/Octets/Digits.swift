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

    /// The octets of digits in either case; nil for any other text. The result is the only copy of them: a secret is
    /// gone when it is wiped.
    public static func octets(digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2), digits.allSatisfy(isDigit) else { return nil }
        var octets: [UInt8] = []
        octets.reserveCapacity(digits.count / 2)
        var high: UInt8?
        for digit in digits {
            guard let low = nibble(digit) else { return nil }
            if let first = high { octets.append(first << 4 | low) }
            high = high == nil ? low : nil
        }
        return octets
    }

    /// True for a digit in either case.
    public static func isDigit(_ octet: UInt8) -> Bool { nibble(octet) != nil }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

extension [UInt8] {
    /// Appends the digits of octets, in lower case. With `reserveCapacity` before, no copy of them is left elsewhere.
    public mutating func append(hexadecimal octets: some Sequence<UInt8>) {
        func append(_ nibble: UInt8) { self.append(nibble < 10 ? 0x30 + nibble : 0x57 + nibble) }
        for octet in octets {
            append(octet >> 4)
            append(octet & 0x0F)
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
