// SPDX-License-Identifier: Apache-2.0

import CBOR
import Testing

@Suite struct CBORDecodingTests {
    /// The encoder's octets (RFC 8949, 4.2.1).
    @Test func valuesAreReadAsTheyWereWritten() throws {
        let value = CBORValue.map([
            .text("id"): .text("wa0y1YwS"), .text("links"): .map([.text("max"): .integer(3)]),
            .text("dBm"): .integer(-60), .text("large"): .integer(.max), .text("small"): .integer(.min),
            .text("list"): .array([.boolean(true), .boolean(false), .null, .octets([1, 2, 255])]),
        ])
        var octets: [UInt8] = []
        try value.encode(limit: 1000, into: &octets)
        #expect(try CBORValue(decoding: octets.span) == value)
        for count in 0..<octets.count {
            let cut = Array(octets.prefix(count))
            #expect(throws: CBORValue.DecodingFault.self) { try CBORValue(decoding: cut.span) }
        }
        octets.append(0)
        #expect(throws: CBORValue.DecodingFault.self) { try CBORValue(decoding: octets.span) }
    }

    /// Tags, floating point, indefinite lengths, a key twice, a count without elements, nesting, text that is none.
    @Test(arguments: [
        [0xC1, 0x00], [0xF9, 0x00, 0x00], [0x9F, 0x01, 0xFF], [0xA2, 0x01, 0x02, 0x01, 0x03],
        [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x1B, 0xFF, 0, 0, 0, 0, 0, 0, 0], [0x61, 0xFF],
        [UInt8](repeating: 0x81, count: 20) + [0x00], [0x1C], [0xF6, 0xF6],
    ])
    func otherItemsAreRefused(octets: [UInt8]) {
        #expect(throws: CBORValue.DecodingFault.self) { try CBORValue(decoding: octets.span) }
    }

    @Test func theDeterministicEncodingIsTaken() throws {
        let octets: [UInt8] = [0xA2, 0x61, 0x61, 0x18, 0x18, 0x62, 0x61, 0x61, 0x20]
        #expect(
            try CBORValue(deterministic: octets.span) == .map([.text("a"): .integer(24), .text("aa"): .integer(-1)]))
    }

    /// Long heads of a number, a length and a count; keys in another order, and twice (RFC 8949, 4.2.1); octets too
    /// many.
    @Test(arguments: [
        [0x18, 0x17], [0x19, 0x00, 0xFF], [0x1B, 0, 0, 0, 0, 0, 0, 0, 1], [0x38, 0x00], [0x58, 0x01, 0xAA],
        [0x98, 0x01, 0x00], [0xB8, 0x01, 0x00, 0x00], [0xA2, 0x61, 0x62, 0x00, 0x61, 0x61, 0x00],
        [0xA2, 0x62, 0x61, 0x61, 0x00, 0x61, 0x62, 0x00], [0xA2, 0x61, 0x61, 0x00, 0x61, 0x61, 0x00], [0x00, 0x00], [],
    ])
    func otherEncodingsAreRefused(octets: [UInt8]) {
        #expect(throws: CBORValue.DecodingFault.self) { try CBORValue(deterministic: octets.span) }
    }
}
