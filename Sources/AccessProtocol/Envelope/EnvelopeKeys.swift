// SPDX-License-Identifier: Apache-2.0

internal import Crypto

/// The keys of one envelope.
struct EnvelopeKeys {
    var encryption: [16 of UInt8]
    var authentication: [32 of UInt8]

    /// Overwrites both keys.
    mutating func wipe() {
        var span = encryption.mutableSpan
        wipeSecret(&span)
        span = authentication.mutableSpan
        wipeSecret(&span)
    }

    /// The keys at `offset` of the derived octets.
    init(_ material: borrowing [96 of UInt8], at offset: Int) {
        encryption = [16 of UInt8](repeating: 0)
        authentication = [32 of UInt8](repeating: 0)
        for at in encryption.indices {
            encryption[at] = material[offset + at]
        }
        for at in authentication.indices {
            authentication[at] = material[offset + 16 + at]
        }
    }

    /// Derives 96 octets from `point ‖ secret` (HKDF-SHA256 with the salt and "Secure Message Exchange"): the first
    /// half is the request's, the second the response's, each an encryption key before an authentication key.
    static func derive(
        _ direction: Envelope.Direction, point: Span<UInt8>, secret: Span<UInt8>, salt: Span<UInt8>
    ) throws(CryptoError) -> EnvelopeKeys {
        var input = [97 of UInt8] { $0 < 65 ? point[$0] : secret[$0 - 65] }
        var material = [96 of UInt8](repeating: 0)
        defer {
            var span = input.mutableSpan
            wipeSecret(&span)
            span = material.mutableSpan
            wipeSecret(&span)
        }
        var octets = material.mutableSpan
        try HKDFSHA256.derive(into: &octets, inputKey: input.span, salt: salt, info: label.span)
        return EnvelopeKeys(material, at: direction == .request ? 0 : 48)
    }

    private static let label: [23 of UInt8] = [
        0x53, 0x65, 0x63, 0x75, 0x72, 0x65, 0x20, 0x4D, 0x65, 0x73, 0x73, 0x61, 0x67, 0x65, 0x20, 0x45,
        0x78, 0x63, 0x68, 0x61, 0x6E, 0x67, 0x65,
    ]
}
