// SPDX-License-Identifier: Apache-2.0

import CardFormats
import Configuration
import Credentials
import Crypto
import OSDP
import Reader

/// The cards by which a panel knows credentials.
struct PanelCard {
    private enum Layout {
        /// The octets of the identifier.
        case identifier
        /// The facility code, and the first bits of the SHA-256 of the identifier's octets.
        case layout(CardFormat, facility: UInt64)
        /// The last digits of the first 56 of these bits.
        case fascN(FASCNPattern)
    }

    private let layout: Layout
    /// The number of a PKOC card, which has its own.
    private let pkoc: PKOCCardNumber
    /// The bits of a DESFire card's number; 0 for all.
    private let desfireBits: Int

    /// The cards of these settings; nil for an invalid pattern, which the settings do not permit.
    init?(_ settings: ReaderSettings.PanelCards) {
        pkoc = settings.pkoc
        desfireBits = settings.desfireBits
        switch settings.format {
        case .identifier: layout = .identifier
        case .fascN:
            guard let pattern = FASCNPattern(settings.fascN) else { return nil }
            layout = .fascN(pattern)
        case .bits26, .bits34, .bits37, .bits37WithoutFacility, .pattern:
            guard let format = settings.layout else { return nil }
            layout = .layout(format, facility: UInt64(settings.facility))
        }
    }

    /// The card of a credential: the own number of a PKOC or DESFire card, otherwise that of the identifier; nil for an
    /// empty identifier, and for a number longer or shorter than a card.
    func card(of credential: ShownCredential) -> OSDPCardData? {
        switch credential.card?.kind {
        case .pkoc:
            return credential.card.flatMap { pkoc.bits(ofKey: $0.identity) }.map { OSDPCardData(bits: $0) }
        case .desfire: return credential.card.flatMap { number($0.identity) }
        case .phone, .aliro, nil: break
        }
        let octets = Array(credential.id.utf8)
        guard !octets.isEmpty else { return nil }
        switch layout {
        case .identifier:
            guard octets.count * 8 <= CardFormat.bitLimit else { return nil }
            return OSDPCardData(format: 0, bitCount: UInt16(octets.count * 8), octets: octets)
        case .layout(let layout, let facility):
            guard let number = PanelCard.number(octets, bits: layout.number.count) else { return nil }
            return try? layout.card(facility: facility, number: number)
        case .fascN(let pattern): return PanelCard.number(octets, bits: 56).flatMap { pattern.number($0)?.card() }
        }
    }

    /// The last bits of a DESFire card's number; nil if it has fewer.
    private func number(_ octets: [UInt8]) -> OSDPCardData? {
        let bits = (0..<octets.count * 8).map { octets[$0 / 8] >> UInt8(7 - $0 % 8) & 1 == 1 }
        guard desfireBits <= bits.count else { return nil }
        return OSDPCardData(bits: desfireBits == 0 ? bits : Array(bits.suffix(desfireBits)))
    }

    private static func number(_ octets: [UInt8], bits: Int) -> UInt64? {
        guard let digest = try? SHA256.hash(octets.span) else { return nil }
        let first = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(digest[$1]) }
        return first >> UInt64(64 - bits)
    }
}
