// SPDX-License-Identifier: Apache-2.0

import Configuration
import Credentials
import OSDP
import Reader
import TestSupport
import Testing

@testable import readerd

/// The card of a credential, docs/operate/osdp.md. The SHA-256 of CRED000002 begins with 4f39510e3f.
@Suite struct PanelCardTests {
    private func card(
        _ format: ReaderSettings.PanelCards.Format, facility: Int = 17, of credential: String = "CRED000002"
    ) -> OSDPCardData? {
        var settings = ReaderSettings().osdp.cards
        (settings.format, settings.facility) = (format, facility)
        return PanelCard(settings)?.card(of: ShownCredential(credential))
    }

    @Test func theIdentifierItself() {
        #expect(card(.identifier) == OSDPCardData(format: 0, bitCount: 80, octets: Array("CRED000002".utf8)))
    }

    /// PKOC NFC 1.1, card number: the last bits of X of the specification's example, whatever the format.
    @Test(arguments: [
        (64, "84848b79fd463e32"), (75, "4bf090916f3fa8c7c640"),
        (256, "0ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32"),
    ]) func cardOfPKOCHasItsOwnNumber(_ bits: Int, _ number: String) {
        let key =
            "040ec5d87dc39d14a2c5480686da860c82b16be0b6903b525f84848b79fd463e32"
            + "bbda1f0252c33503c5287035e6eac55d138d0650dcfb5281d59a9cf4124d2831"
        let card = ShownCredential("CARD000001", card: CardEvidence(kind: .pkoc, identity: octets(key)))
        for format in ReaderSettings.PanelCards.Format.allCases where format != .pattern {
            var settings = ReaderSettings().osdp.cards
            (settings.format, settings.pkocBits) = (format, bits)
            #expect(
                PanelCard(settings)?.card(of: card)
                    == OSDPCardData(format: 0, bitCount: UInt16(bits), octets: octets(number)))
        }
    }

    /// All bits of the number, or the last ones; whatever the format. A panel cannot receive more bits than there are.
    @Test(arguments: [(0, "001122334455667788"), (64, "1122334455667788"), (26, "599de200"), (1, "00")])
    func cardOfDESFireHasItsOwnNumber(_ bits: Int, _ number: String) {
        let card = ShownCredential(
            "CARD000002", card: CardEvidence(kind: .desfire, identity: octets("001122334455667788")))
        for format in ReaderSettings.PanelCards.Format.allCases where format != .pattern {
            var settings = ReaderSettings().osdp.cards
            (settings.format, settings.desfireBits) = (format, bits)
            #expect(
                PanelCard(settings)?.card(of: card)
                    == OSDPCardData(format: 0, bitCount: UInt16(bits == 0 ? 72 : bits), octets: octets(number)))
            settings.desfireBits = 73
            #expect(PanelCard(settings)?.card(of: card) == nil)
        }
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

    /// 35 bits (Corporate 1000): the number is the first 20 bits of the hash, 4f395 = 324501.
    @Test func aPatternOfTheSite() {
        var settings = ReaderSettings().osdp.cards
        settings.format = .pattern
        settings.facility = 1234
        settings.pattern = [
            "PPFFFFFFFFFFFFNNNNNNNNNNNNNNNNNNNNP",
            ".EXX.XX.XX.XX.XX.XX.XX.XX.XX.XX.XX.",
            ".XX.XX.XX.XX.XX.XX.XX.XX.XX.XX.XX.O",
            "OXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
        ]
        #expect(
            PanelCard(settings)?.card(of: ShownCredential("CRED000002"))
                == OSDPCardData(format: 1, bitCount: 35, octets: [0x93, 0x49, 0x3C, 0xE5, 0x40]))
        settings.pattern = ["P"]
        #expect(PanelCard(settings)?.card(of: ShownCredential("CRED000002")) == nil)
    }

    /// 9999-9999-229954-0-1-3454305969399991: 0x4f39510e3f4eb1 modulo 10¹⁶ is 2299543454305969.
    @Test func aFASCN() {
        var settings = ReaderSettings().osdp.cards
        settings.format = .fascN
        #expect(
            PanelCard(settings)?.card(of: ShownCredential("CRED000002"))
                == OSDPCardData(
                    format: 0, bitCount: 200,
                    octets: [
                        0xD4, 0xE7, 0x39, 0xDA, 0x73, 0x9C, 0xEC, 0x84, 0x4E, 0x75, 0x25, 0x83, 0x68, 0x5B, 0x24, 0xA9,
                        0x32, 0x1A, 0xCD, 0xB3, 0xCC, 0xE7, 0x39, 0xC3, 0xF6,
                    ]))
        settings.fascN = ""
        #expect(PanelCard(settings)?.card(of: ShownCredential("CRED000002")) == nil)
    }

    @Test func whatIsNoCard() {
        #expect(card(.identifier, of: "") == nil && card(.bits26, of: "") == nil)
        #expect(card(.identifier, of: String(repeating: "x", count: 64)) != nil)
        #expect(card(.identifier, of: String(repeating: "x", count: 65)) == nil)
        #expect(card(.bits26, facility: 256) == nil)
    }
}
