// SPDX-License-Identifier: Apache-2.0

import CardFormats
import Crypto
import OSDP
import Reader

/// The card by which a panel knows a credential.
enum PanelCard {
    /// The card of a credential's identifier in this layout. With `identifier` it is the octets of the identifier;
    /// otherwise the number is the first bits of the SHA-256 of these octets, and of a FASC-N the last digits of the
    /// first 56. nil for an empty identifier, and for one longer than a card.
    static func card(of credential: String, _ settings: ReaderSettings.OSDP) -> OSDPCardData? {
        let octets = Array(credential.utf8)
        guard !octets.isEmpty else { return nil }
        if settings.format == .identifier {
            guard octets.count * 8 <= CardFormat.bitLimit else { return nil }
            return OSDPCardData(format: 0, bitCount: UInt16(octets.count * 8), octets: octets)
        }
        if settings.format == .fascN {
            guard let value = number(octets, bits: 56) else { return nil }
            return FASCNPattern(settings.fascN)?.number(value)?.card()
        }
        guard let layout = settings.layout, let number = number(octets, bits: layout.number.count) else { return nil }
        return try? layout.card(facility: UInt64(settings.facility), number: number)
    }

    private static func number(_ octets: [UInt8], bits: Int) -> UInt64? {
        guard let digest = try? SHA256.hash(octets.span) else { return nil }
        let first = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(digest[$1]) }
        return first >> UInt64(64 - bits)
    }
}
