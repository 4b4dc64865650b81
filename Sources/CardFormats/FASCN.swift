// SPDX-License-Identifier: Apache-2.0

/// A Federal Agency Smart Credential Number as panels take it: 200 bits, forty digits of four bits, least significant
/// first, and an odd parity ("Technical Implementation Guidance: Smart Card Enabled Physical Access Control Systems",
/// 2.3, table 6).
public struct FASCN: Equatable, Sendable {
    /// The number of digits.
    public static let digitCount = 32
    /// The digits between separators: agency, system, credential, series, individual issue; the last group is person,
    /// category, organisation and association.
    private static let groups = [4, 4, 6, 1, 1, 16]
    private static let (start, separator, end): (UInt8, UInt8, UInt8) = (0xB, 0xD, 0xF)

    /// The digits, 0 to 9.
    public let digits: [UInt8]

    /// A number of 32 digits from 0 to 9; nil for any other.
    public init?(digits: [UInt8]) {
        guard digits.count == FASCN.digitCount, digits.allSatisfy({ $0 <= 9 }) else { return nil }
        self.digits = digits
    }

    /// The bits, with sentinels, separators and the check digit.
    public var bits: [Bool] {
        var symbols = [FASCN.start]
        var rest = digits[...]
        for count in FASCN.groups {
            symbols += rest.prefix(count)
            rest = rest.dropFirst(count)
            symbols.append(rest.isEmpty ? FASCN.end : FASCN.separator)
        }
        symbols.append(symbols.reduce(0, ^))
        return symbols.flatMap { symbol in
            (0..<4).map { symbol >> UInt8($0) & 1 == 1 } + [symbol.nonzeroBitCount.isMultiple(of: 2)]
        }
    }
}

/// A written FASC-N in which `#` stands for digits that differ by credential, `9999-9999-######-0-1-##########399991`.
public struct FASCNPattern: Equatable, Sendable {
    /// The maximum number of digits that differ: those that 56 bits fill evenly enough.
    public static let openLimit = 16

    private let digits: [UInt8?]
    /// The number of digits that differ.
    public let openCount: Int

    /// A pattern; nil unless it has 32 digits or `#`, of these 1 to 16, and else only hyphens.
    public init?(_ text: String) {
        var digits: [UInt8?] = []
        for character in text.utf8 {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digits.append(character - UInt8(ascii: "0"))
            case UInt8(ascii: "#"): digits.append(nil)
            case UInt8(ascii: "-"): break
            default: return nil
            }
        }
        openCount = digits.count(where: { $0 == nil })
        guard digits.count == FASCN.digitCount, (1...FASCNPattern.openLimit).contains(openCount) else { return nil }
        self.digits = digits
    }

    /// The number whose open digits are the last ones of `value`.
    public func number(_ value: UInt64) -> FASCN? {
        var rest = value
        let filled: [UInt8] = digits.reversed().map { digit in
            if let digit { return digit }
            defer { rest /= 10 }
            return UInt8(rest % 10)
        }
        return FASCN(digits: filled.reversed())
    }
}
