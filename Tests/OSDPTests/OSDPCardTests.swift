// SPDX-License-Identifier: Apache-2.0

import CardFormats
import TestSupport
import Testing

@testable import OSDP

/// Cards for osdp_RAW (7.10).
struct OSDPCardTests {
    @Test func knownCards() throws {
        // 1 00010001 0001001001100111 1
        #expect(
            try CardFormat.bits26.card(facility: 17, number: 4711)
                == OSDPCardData(format: 1, bitCount: 26, octets: [0x88, 0x89, 0x33, 0xC0]))
        #expect(try CardFormat.bits26.card(facility: 0, number: 0).octets == [0, 0, 0, 0x40])
        #expect(try CardFormat.bits34.card(facility: 1, number: 1).octets == octets("80008000 80").map { $0 })
        let plain = try CardFormat(pattern: [String(repeating: "N", count: 32)])
        #expect(
            try plain.card(number: 0xDEAD_BEEF)
                == OSDPCardData(format: 0, bitCount: 32, octets: [0xDE, 0xAD, 0xBE, 0xEF]))
    }
}
