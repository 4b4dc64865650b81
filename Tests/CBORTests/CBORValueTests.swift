// SPDX-License-Identifier: Apache-2.0

import CBOR
import Testing

/// The deterministic encoding (RFC 8949, 4.2.1). Where appendix A has an example, the octets are those of the
/// example.
@Suite struct CBORValueTests {
    private func encoded(_ value: CBORValue, limit: Int = 1000) throws -> [UInt8] {
        var octets: [UInt8] = []
        try value.encode(limit: limit, into: &octets)
        return octets
    }

    @Test func numbersHaveTheShortestHead() throws {
        let rows: [(Int64, [UInt8])] = [
            (0, [0x00]), (1, [0x01]), (10, [0x0A]), (23, [0x17]), (24, [0x18, 0x18]), (100, [0x18, 0x64]),
            (255, [0x18, 0xFF]), (256, [0x19, 0x01, 0x00]), (1000, [0x19, 0x03, 0xE8]), (65_535, [0x19, 0xFF, 0xFF]),
            (65_536, [0x1A, 0x00, 0x01, 0x00, 0x00]), (1_000_000, [0x1A, 0x00, 0x0F, 0x42, 0x40]),
            (0xFFFF_FFFF, [0x1A, 0xFF, 0xFF, 0xFF, 0xFF]), (0x1_0000_0000, [0x1B, 0, 0, 0, 1, 0, 0, 0, 0]),
            (1_000_000_000_000, [0x1B, 0x00, 0x00, 0x00, 0xE8, 0xD4, 0xA5, 0x10, 0x00]),
            (.max, [0x1B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
            (-1, [0x20]), (-10, [0x29]), (-24, [0x37]), (-25, [0x38, 0x18]), (-60, [0x38, 0x3B]),
            (-100, [0x38, 0x63]), (-1000, [0x39, 0x03, 0xE7]),
            (.min, [0x3B, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        ]
        for (number, octets) in rows {
            let told = try encoded(.integer(number))
            #expect(told == octets, "\(number)")
        }
    }

    @Test func everythingElse() throws {
        let long = String(repeating: "x", count: 24)
        let rows: [(CBORValue, [UInt8])] = [
            (.octets([]), [0x40]), (.octets([1, 2, 3, 4]), [0x44, 1, 2, 3, 4]),
            (.text(""), [0x60]), (.text("a"), [0x61, 0x61]), (.text("IETF"), [0x64, 0x49, 0x45, 0x54, 0x46]),
            (.text("\u{FC}"), [0x62, 0xC3, 0xBC]), (.text("\u{6C34}"), [0x63, 0xE6, 0xB0, 0xB4]),
            (.text(long), [0x78, 0x18] + Array(long.utf8)),
            (.array([]), [0x80]), (.array([.integer(1), .integer(2), .integer(3)]), [0x83, 1, 2, 3]),
            (.array([.integer(1), .array([.integer(2), .integer(3)])]), [0x82, 0x01, 0x82, 0x02, 0x03]),
            (.map([:]), [0xA0]), (.boolean(false), [0xF4]), (.boolean(true), [0xF5]), (.null, [0xF6]),
            (
                .map([.text("a"): .integer(1), .text("b"): .array([.integer(2), .integer(3)])]),
                [0xA2, 0x61, 0x61, 0x01, 0x61, 0x62, 0x82, 0x02, 0x03]
            ),
        ]
        for (value, octets) in rows {
            let told = try encoded(value)
            #expect(told == octets, "\(value)")
        }
    }

    /// The example of 4.2.1: 10, 100, -1, "z", "aa", [100], [-1], false.
    @Test func keysStandInTheOrderOfTheirEncodings() throws {
        let keys: [CBORValue] = [
            .integer(10), .integer(100), .integer(-1), .text("z"), .text("aa"), .array([.integer(100)]),
            .array([.integer(-1)]), .boolean(false),
        ]
        let told = try encoded(.map(Dictionary(uniqueKeysWithValues: keys.map { ($0, .integer(0)) })))
        #expect(
            told == [
                0xA8, 0x0A, 0, 0x18, 0x64, 0, 0x20, 0, 0x61, 0x7A, 0, 0x62, 0x61, 0x61, 0, 0x81, 0x18, 0x64, 0, 0x81,
                0x20, 0, 0xF4, 0,
            ])
    }

    @Test func theLimitHoldsToTheOctetAndLeavesNothing() throws {
        let value = CBORValue.map([.text("a"): .array([.octets([1, 2, 3])])])
        #expect(try encoded(value).count == 8)
        for limit in 0..<8 {
            var octets: [UInt8] = [0xEE]
            #expect(throws: CBORError.tooLong) { try value.encode(limit: limit, into: &octets) }
            #expect(octets == [0xEE])
        }
        #expect(try encoded(value, limit: 8).count == 8)
    }

    @Test func nestingIsBounded() throws {
        var value = CBORValue.null
        for _ in 0..<CBORValue.depthLimit { value = .array([value]) }
        #expect(try encoded(value).count == CBORValue.depthLimit + 1)
        #expect(throws: CBORError.tooDeep) { try encoded(.array([value])) }
    }
}
