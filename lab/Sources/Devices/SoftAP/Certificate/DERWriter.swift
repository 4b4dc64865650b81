// SPDX-License-Identifier: Apache-2.0

/// Encodes ASN.1 in the Distinguished Encoding Rules (X.690, 10), limited to the types in a certificate.
enum DER {
    /// Encodes a value with a universal or context-specific tag: tag, length, content (X.690, 8.1).
    static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] { [tag] + length(content.count) + content }

    /// Encodes a constructed value.
    static func value(_ tag: UInt8, of parts: [[UInt8]]) -> [UInt8] { value(tag, parts.flatMap(\.self)) }

    /// SEQUENCE.
    static func sequence(_ parts: [UInt8]...) -> [UInt8] { value(0x30, of: parts) }

    /// SET of one element.
    static func set(_ part: [UInt8]) -> [UInt8] { value(0x31, part) }

    /// Non-negative INTEGER from its octets, most significant first.
    static func integer(_ octets: [UInt8]) -> [UInt8] {
        var rest = octets[...]
        while rest.count > 1, rest.first == 0 { rest = rest.dropFirst() }
        // The highest bit is the sign (X.690, 8.3).
        let sign: [UInt8] = (rest.first ?? 0x80) & 0x80 != 0 ? [0] : []
        return value(0x02, sign + rest)
    }

    /// OBJECT IDENTIFIER, from its content.
    static func object(_ content: UInt8...) -> [UInt8] { value(0x06, content) }

    /// OCTET STRING.
    static func octetString(_ content: [UInt8]) -> [UInt8] { value(0x04, content) }

    /// BIT STRING; `unused` is the number of unused bits in the last octet.
    static func bitString(_ content: [UInt8], unused: UInt8 = 0) -> [UInt8] { value(0x03, [unused] + content) }

    /// BOOLEAN true.
    static let yes: [UInt8] = [0x01, 0x01, 0xFF]

    private static func length(_ count: Int) -> [UInt8] {
        guard count >= 0x80 else { return [UInt8(truncatingIfNeeded: count)] }
        var octets: [UInt8] = []
        var rest = count
        while rest > 0 {
            octets.insert(UInt8(truncatingIfNeeded: rest), at: 0)
            rest >>= 8
        }
        return [0x80 | UInt8(truncatingIfNeeded: octets.count)] + octets
    }
}
