// SPDX-License-Identifier: Apache-2.0

import Crypto
import OSDP
import Reader

/// The card by which a panel knows a credential.
enum PanelCard {
    /// The card of a credential's identifier in this layout. With `identifier` it is the octets of the identifier;
    /// otherwise the number is the first bits of the SHA-256 of these octets. nil for an empty identifier, and for one
    /// longer than a card.
    static func card(of credential: String, _ settings: ReaderSettings.OSDP) -> OSDPCardData? {
        let octets = Array(credential.utf8)
        guard !octets.isEmpty else { return nil }
        guard let format = format(settings.format) else {
            guard octets.count * 8 <= CardFormat.bitLimit else { return nil }
            return OSDPCardData(format: 0, bitCount: UInt16(octets.count * 8), octets: octets)
        }
        guard let number = number(octets, bits: format.number.count) else { return nil }
        return try? format.card(facility: UInt64(settings.facility), number: number)
    }

    private static func format(_ format: ReaderSettings.OSDP.Format) -> CardFormat? {
        switch format {
        case .identifier: nil
        case .bits26: .bits26
        case .bits34: .bits34
        case .bits37: .bits37
        case .bits37WithoutFacility: .bits37WithoutFacility
        }
    }

    private static func number(_ octets: [UInt8], bits: Int) -> UInt64? {
        guard let digest = try? SHA256.hash(octets.span) else { return nil }
        let first = (0..<8).reduce(UInt64(0)) { $0 << 8 | UInt64(digest[$1]) }
        return first >> UInt64(64 - bits)
    }
}
