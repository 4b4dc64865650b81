// SPDX-License-Identifier: Apache-2.0

import OSDP
import Reader
import Testing

@testable import readerd

/// The card of a credential, docs/osdp.md. The SHA-256 of CRED000002 begins with 4f39510e3f.
@Suite struct PanelCardTests {
    private func card(
        _ format: ReaderSettings.OSDP.Format, facility: Int = 17, of credential: String = "CRED000002"
    ) -> OSDPCardData? {
        var settings = ReaderSettings().osdp
        (settings.format, settings.facility) = (format, facility)
        return PanelCard.card(of: credential, settings)
    }

    @Test func theIdentifierItself() {
        #expect(card(.identifier) == OSDPCardData(format: 0, bitCount: 80, octets: Array("CRED000002".utf8)))
    }

    @Test func numbers() {
        // 0x4F39 is 20281.
        #expect(card(.bits26) == OSDPCardData(format: 1, bitCount: 26, octets: [0x88, 0xA7, 0x9C, 0xC0]))
        #expect(card(.bits34) == OSDPCardData(format: 1, bitCount: 34, octets: [0x00, 0x08, 0xA7, 0x9C, 0x80]))
        #expect(card(.bits37) == OSDPCardData(format: 1, bitCount: 37, octets: [0x80, 0x08, 0xA7, 0x9C, 0xA8]))
        #expect(
            card(.bits37WithoutFacility, facility: 0)
                == OSDPCardData(format: 1, bitCount: 37, octets: [0x27, 0x9C, 0xA8, 0x87, 0x10]))
    }

    @Test func whatIsNoCard() {
        #expect(card(.identifier, of: "") == nil && card(.bits26, of: "") == nil)
        #expect(card(.identifier, of: String(repeating: "x", count: 64)) != nil)
        #expect(card(.identifier, of: String(repeating: "x", count: 65)) == nil)
        #expect(card(.bits26, facility: 256) == nil)
    }
}
