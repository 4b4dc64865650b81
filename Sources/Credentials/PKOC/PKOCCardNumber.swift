// SPDX-License-Identifier: Apache-2.0

/// The number of a PKOC card for access panels: the last bits of the key's X coordinate, without parities (PSIA PKOC
/// NFC Card Specification 1.1).
///
/// A shorter number does not identify a key: a search for another key with the same 64 bits takes 2^64 attempts. The
/// reader's own list has whole keys.
public enum PKOCCardNumber: Int, CaseIterable, Sendable {
    /// Four octets, and one more each (NFC 2.0.1): only of cards whose issuer is trusted.
    case bits32 = 32
    case bits40 = 40
    case bits48 = 48
    case bits56 = 56
    /// The least that version 1.1 permits.
    case bits64 = 64
    /// Recommended by the specification.
    case bits75 = 75
    /// All of X.
    case bits256 = 256

    /// True for a number that another key can be made for: whoever makes keys must be trusted.
    public var needsIssuer: Bool { rawValue < Self.bits64.rawValue }

    /// The bits of the number, most significant first; nil for octets that are no key (04 ‖ X ‖ Y).
    public func bits(ofKey key: [UInt8]) -> [Bool]? {
        guard key.count == PKOCMessage.keyCount, key[0] == 0x04 else { return nil }
        return (0..<rawValue).map { bit in
            let place = 256 - rawValue + bit
            return key[1 + place / 8] >> UInt8(7 - place % 8) & 1 == 1
        }
    }
}
