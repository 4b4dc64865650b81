// SPDX-License-Identifier: Apache-2.0

/// Elements of the Distinguished Encoding Rules (X.690) as octets, and as much of their reading as certificates need.
public enum DER {
    /// The identifier octet of an element.
    public enum Tag: UInt8, Sendable {
        /// BOOLEAN.
        case boolean = 0x01
        /// INTEGER.
        case integer = 0x02
        /// BIT STRING.
        case bitString = 0x03
        /// OCTET STRING.
        case octetString = 0x04
        /// OBJECT IDENTIFIER.
        case objectIdentifier = 0x06
        /// UTF8String.
        case utf8String = 0x0C
        /// PrintableString.
        case printableString = 0x13
        /// IA5String.
        case ia5String = 0x16
        /// UTCTime.
        case utcTime = 0x17
        /// GeneralizedTime.
        case generalizedTime = 0x18
        /// SEQUENCE.
        case sequence = 0x30
        /// SET.
        case set = 0x31
        /// Context-specific 0, primitive.
        case implicit0 = 0x80
        /// Context-specific 2, primitive.
        case implicit2 = 0x82
        /// Context-specific 0, constructed.
        case explicit0 = 0xA0
        /// Context-specific 3, constructed.
        case explicit3 = 0xA3
    }

    /// An element with the concatenation of `contents`.
    public static func element(_ tag: Tag, _ contents: [UInt8]...) -> [UInt8] { element(tag, of: contents) }

    /// An element with the concatenation of `contents`; less than 65,536 octets.
    public static func element(_ tag: Tag, of contents: [[UInt8]]) -> [UInt8] {
        let count = contents.reduce(0) { $0 + $1.count }
        var octets = [tag.rawValue]
        switch count {
        case ..<0x80: octets.append(UInt8(count))
        case ..<0x100: octets += [0x81, UInt8(count)]
        default: octets += [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
        }
        for content in contents { octets += content }
        return octets
    }

    /// A non-negative integer from its octets, most significant first.
    public static func integer(_ octets: [UInt8]) -> [UInt8] {
        let digits = octets.drop { $0 == 0 }
        // The highest bit is the sign (X.690, 8.3).
        return element(.integer, digits.first ?? 0x80 >= 0x80 ? [0] + digits : Array(digits))
    }

    /// An object identifier from its content octets.
    public static func identifier(_ content: [UInt8]) -> [UInt8] { element(.objectIdentifier, content) }

    /// The truth value true.
    public static let `true` = element(.boolean, [0xFF])

    /// A bit string of whole octets.
    public static func bits(_ octets: [UInt8]) -> [UInt8] { element(.bitString, [0], octets) }

    /// A bit string of named bits, bit 0 first, without trailing zeros (X.690, 11.2.2).
    public static func namedBits(_ flags: UInt16) -> [UInt8] {
        var octets: [UInt8] = [0, 0]
        for bit in 0..<16 where flags >> UInt16(bit) & 1 == 1 { octets[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        guard let last = octets.lastIndex(where: { $0 != 0 }) else { return element(.bitString, [0]) }
        return element(.bitString, [UInt8(octets[last].trailingZeroBitCount)], Array(octets[...last]))
    }

    /// The extent of the content of the element with `tag` that begins `octets`; nil for another tag, a length in other
    /// than its shortest form, and content that does not end with the octets unless `isPrefix`.
    public static func content(of tag: Tag, in octets: ArraySlice<UInt8>, isPrefix: Bool = false) -> ArraySlice<UInt8>?
    {
        guard octets.count >= 2, octets[octets.startIndex] == tag.rawValue else { return nil }
        let first = octets[octets.startIndex + 1]
        var start = octets.startIndex + 2
        var count = Int(first)
        if first >= 0x80 {
            let width = Int(first & 0x7F)
            guard (1...2).contains(width), octets.endIndex - start >= width else { return nil }
            count = octets[start..<start + width].reduce(0) { $0 << 8 | Int($1) }
            start += width
            guard count >= (width == 1 ? 0x80 : 0x100) else { return nil }
        }
        let end = start + count
        guard isPrefix ? end <= octets.endIndex : end == octets.endIndex else { return nil }
        return octets[start..<end]
    }
}
