// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// A public key on P-256 (secp256r1), whose point is verified to be on the curve.
public final class P256PublicKey: Sendable {
    /// The public point.
    public let point: P256Point

    private let handle: P256KeyHandle

    /// The octets before the point in a SubjectPublicKeyInfo of P-256 (RFC 5480, 2: id-ecPublicKey, secp256r1).
    private static let derPrefix: InlineArray<26, UInt8> = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01,
        0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// A key from 04 ‖ X ‖ Y.
    ///
    /// - Throws: `invalidPoint` for any other format, and for a point off the curve.
    public convenience init(point: Span<UInt8>) throws(CryptoError) {
        try self.init(P256KeyHandle(from: point, readerd_crypto_key_from_point), point: P256Point(point))
    }

    /// A key from the 91 octets of a DER SubjectPublicKeyInfo. The encoding of an uncompressed point on the named
    /// curve is unique.
    ///
    /// - Throws: `invalidKey` for any other octets.
    public convenience init(subjectPublicKeyInfo der: Span<UInt8>) throws(CryptoError) {
        let prefix = P256PublicKey.derPrefix
        guard der.count == prefix.count + P256Point.count else { throw .invalidKey }
        for index in prefix.indices where der[index] != prefix[index] { throw .invalidKey }
        try self.init(point: der.extracting(prefix.count..<der.count))
    }

    /// A key from a PEM block `PUBLIC KEY` (at most 16 KiB of text).
    public convenience init(pem: Span<UInt8>) throws(CryptoError) {
        let handle = try P256KeyHandle(from: pem, readerd_crypto_key_from_public_pem)
        try self.init(handle, point: handle.point())
    }

    private init(_ handle: P256KeyHandle, point: P256Point) {
        self.point = point
        self.handle = handle
    }

    /// The key as a PEM block `PUBLIC KEY`.
    public func pem() throws(CryptoError) -> [UInt8] {
        try handle.pem(readerd_crypto_key_public_pem)
    }

    /// The key as DER SubjectPublicKeyInfo, 91 octets.
    public func der() -> [UInt8] {
        P256PublicKey.subjectPublicKeyInfo(point: point.octets.indices.map { point.octets[$0] })
    }

    /// The DER SubjectPublicKeyInfo of a point (65 octets) that need not be on the curve.
    public static func subjectPublicKeyInfo(point: [UInt8]) -> [UInt8] {
        derPrefix.indices.map { derPrefix[$0] } + point
    }

    /// Returns true if `signature` is an ECDSA signature over the SHA-256 of `message` by the corresponding private
    /// key.
    ///
    /// The signature must be strict DER: trailing octets and other encodings of the same numbers are invalid.
    public func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool {
        let status = message.withUnsafeBufferPointer { message in
            signature.withUnsafeBufferPointer { signature in
                readerd_crypto_verify(
                    handle.key, message.baseAddress, message.count, signature.baseAddress, signature.count)
            }
        }
        return Int(status) == READERD_CRYPTO_OK
    }
}
