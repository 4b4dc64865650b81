// SPDX-License-Identifier: Apache-2.0

/// Elements of the Distinguished Encoding Rules (X.690) as octets, and as much of their reading as extensions need.
enum DER {
    /// The identifier octet of an element.
    enum Tag: UInt8 {
        case boolean = 0x01
        case integer = 0x02
        case bitString = 0x03
        case octetString = 0x04
        case objectIdentifier = 0x06
        case utf8String = 0x0C
        case printableString = 0x13
        case ia5String = 0x16
        case utcTime = 0x17
        case generalizedTime = 0x18
        case sequence = 0x30
        case set = 0x31
        /// Context-specific 0, primitive.
        case implicit0 = 0x80
        /// Context-specific 0, constructed.
        case explicit0 = 0xA0
        /// Context-specific 3, constructed.
        case explicit3 = 0xA3
    }

    /// An element with the concatenation of `contents`.
    static func element(_ tag: Tag, _ contents: [UInt8]...) -> [UInt8] {
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

    /// An object identifier from its content octets.
    static func identifier(_ content: [UInt8]) -> [UInt8] { element(.objectIdentifier, content) }

    /// The truth value true.
    static let `true` = element(.boolean, [0xFF])

    /// A bit string of whole octets.
    static func bits(_ octets: [UInt8]) -> [UInt8] { element(.bitString, [0], octets) }

    /// A bit string of named bits, bit 0 first, without trailing zeros (X.690, 11.2.2).
    static func namedBits(_ flags: UInt16) -> [UInt8] {
        var octets: [UInt8] = [0, 0]
        for bit in 0..<16 where flags >> UInt16(bit) & 1 == 1 { octets[bit / 8] |= 0x80 >> UInt8(bit % 8) }
        guard let last = octets.lastIndex(where: { $0 != 0 }) else { return element(.bitString, [0]) }
        return element(.bitString, [UInt8(octets[last].trailingZeroBitCount)], Array(octets[...last]))
    }

    /// The extent of the content of the element with `tag` that begins `octets`; nil for another tag, a length in other
    /// than its shortest form, and content that does not end with the octets unless `isPrefix`.
    static func content(of tag: Tag, in octets: ArraySlice<UInt8>, isPrefix: Bool = false) -> ArraySlice<UInt8>? {
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
