// SPDX-License-Identifier: Apache-2.0

import Octets
import Testing

/// X.690.
struct DERTests {
    /// 8.1.3: the length in one octet up to 127, then in as many as it needs.
    @Test(
        arguments: [
            (0, [0x04, 0x00]), (127, [0x04, 0x7F]), (128, [0x04, 0x81, 0x80]), (255, [0x04, 0x81, 0xFF]),
            (256, [0x04, 0x82, 0x01, 0x00]), (65_535, [0x04, 0x82, 0xFF, 0xFF]),
        ] as [(Int, [UInt8])])
    func lengths(count: Int, head: [UInt8]) {
        let element = DER.element(.octetString, [UInt8](repeating: 7, count: count))
        #expect(Array(element.prefix(head.count)) == head && element.count == head.count + count)
        #expect(DER.content(of: .octetString, in: element[...])?.count == count)
    }

    /// 8.3: two's complement, in the fewest octets.
    @Test(
        arguments: [
            ([0], [2, 1, 0]), ([2], [2, 1, 2]), ([0x7F], [2, 1, 0x7F]), ([0x80], [2, 2, 0, 0x80]),
            ([0, 0, 1, 0], [2, 2, 1, 0]), ([], [2, 1, 0]),
        ] as [([UInt8], [UInt8])])
    func integers(octets: [UInt8], element: [UInt8]) {
        #expect(DER.integer(octets) == element)
    }

    /// 11.2.2: named bits without trailing zeros.
    @Test(
        arguments: [
            (0, [3, 1, 0]), (0x01, [3, 2, 7, 0x80]), (0x60, [3, 2, 1, 0x06]), (0x21, [3, 2, 2, 0x84]),
            (0x100, [3, 3, 7, 0, 0x80]),
        ] as [(UInt16, [UInt8])])
    func namedBits(flags: UInt16, element: [UInt8]) {
        #expect(DER.namedBits(flags) == element)
    }

    /// Lengths in other than the shortest form, cut short, with octets too many, and of another type.
    @Test(
        arguments: [
            [0x30], [0x30, 0x80], [0x30, 0x81, 0x01, 0], [0x30, 0x82, 0, 0x80], [0x30, 2, 0], [0x30, 1, 0, 0],
            [0x31, 1, 0], [0x30, 0x83, 0, 0, 1, 0], [],
        ] as [[UInt8]])
    func contentOfOthers(octets: [UInt8]) {
        #expect(DER.content(of: .sequence, in: octets[...]) == nil)
    }

    @Test func contentOfAPrefix() {
        #expect(DER.content(of: .sequence, in: [0x30, 1, 9, 8], isPrefix: true) == [9])
    }
}
