// SPDX-License-Identifier: Apache-2.0

import CBOR
import Testing

@Suite struct CBORNodeTests {
    private func node(_ octets: [UInt8]) throws -> CBORNode { try CBORNode(decoding: octets.span) }

    @Test func itemsHaveTheirExtent() throws {
        // {"a": 24(h'01'), 2: [true, -1, 1.0]}
        let octets: [UInt8] = [
            0xA2, 0x61, 0x61, 0xD8, 0x18, 0x41, 0x01, 0x02, 0x83, 0xF5, 0x20, 0xF9, 0x3C, 0x00,
        ]
        let root = try node(octets)
        #expect(root.extent == 0..<14)
        #expect(root["a"]?.extent == 3..<7)
        #expect(root["a"]?.tagged(24)?.octets == [1])
        #expect(root["a"]?.tagged(25) == nil)
        #expect(root[2]?.array?.map(\.integer) == [nil, -1, nil])
        #expect(root[2]?.array?.first?.boolean == true)
        #expect(root["b"] == nil && root.text == nil)
        for count in 0..<octets.count {
            #expect(throws: CBORValue.DecodingFault.self) { try node(Array(octets.prefix(count))) }
        }
        #expect(throws: CBORValue.DecodingFault.self) { try node(octets + [0]) }
    }

    /// RFC 8949, 3.2.2 and 4.2.1: another encoding of the same items.
    @Test func indefiniteLengthsAndLongHeadsAreAccepted() throws {
        let root = try node([0xBF, 0x61, 0x61, 0x9F, 0x01, 0x9F, 0xFF, 0xFF, 0x19, 0x00, 0x02, 0x1A, 0, 0, 0, 3, 0xFF])
        #expect(root["a"]?.array?.count == 2)
        #expect(root["a"]?.array?[1].array?.isEmpty == true)
        #expect(root[2]?.integer == 3)
    }

    /// A key twice, a key that is an array, strings of indefinite length, a break alone, nesting, large counts, text
    /// that is none.
    @Test(arguments: [
        [0xA2, 0x01, 0x02, 0x01, 0x03], [0xBF, 0x01, 0x02, 0x01, 0x03, 0xFF], [0xA1, 0x80, 0x00],
        [0x5F, 0x41, 0x00, 0xFF], [0x7F, 0xFF], [0xFF], [0x9F, 0x01], [0xBF, 0x01, 0xFF], [0x1C], [0xDF, 0x00],
        [UInt8](repeating: 0x81, count: 40) + [0x00], [UInt8](repeating: 0xC1, count: 40) + [0x00],
        [0x9B, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0x5B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF],
        [0x1B, 0xFF, 0, 0, 0, 0, 0, 0, 0], [0x61, 0xFF], [],
    ])
    func otherItemsAreRefused(octets: [UInt8]) {
        #expect(throws: CBORValue.DecodingFault.self) { try node(octets) }
    }
}
