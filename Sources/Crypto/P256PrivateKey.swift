// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// A private key on P-256 (secp256r1). It has no description, and exposes the key only through `pem()`.
public final class P256PrivateKey: Sendable {
    /// The public key.
    public let publicKey: P256PublicKey

    private let handle: P256KeyHandle

    /// Generates a new key with libcrypto.
    public static func generate() throws(CryptoError) -> P256PrivateKey {
        try P256PrivateKey(P256KeyHandle { readerd_crypto_key_generate($0) })
    }

    /// A key from its 32 octets, most significant first.
    ///
    /// - Throws: `invalidKey` for 0, and for the group order or more.
    public convenience init(scalar: Span<UInt8>) throws(CryptoError) {
        try self.init(P256KeyHandle(from: scalar, readerd_crypto_key_from_scalar))
    }

    /// A key from PEM, PKCS#8 (`PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`), unencrypted, at most 16 KiB of text.
    ///
    /// - Throws: `encryptedKey` for an encrypted one, without a prompt, `unsupportedKey` for another type or curve,
    ///   `invalidKey` if the public key does not match.
    public convenience init(pem: Span<UInt8>) throws(CryptoError) {
        try self.init(P256KeyHandle(from: pem, readerd_crypto_key_from_private_pem))
    }

    private init(_ handle: P256KeyHandle) throws(CryptoError) {
        publicKey = try P256PublicKey(point: handle.point().octets.span)
        self.handle = handle
    }

    /// The public point.
    public var publicPoint: P256Point { publicKey.point }

    /// The key as unencrypted PKCS#8 PEM, which the caller keeps secret: mode 0600, never in a log.
    public func pem() throws(CryptoError) -> [UInt8] {
        try handle.pem(readerd_crypto_key_private_pem)
    }

    /// ECDH: the x coordinate of this key's scalar times `point` (SEC 1, 3.3.1). The result is secret: wipe it after
    /// deriving keys.
    ///
    /// - Parameter point: 04 ‖ X ‖ Y on the curve.
    /// - Throws: `invalidPoint` for another length or format, infinity, and coordinates out of range.
    public func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        var secret = InlineArray<32, UInt8>(repeating: 0)
        var output = secret.mutableSpan
        let status = point.withUnsafeBufferPointer { point in
            output.withUnsafeMutableBufferPointer { output in
                readerd_crypto_ecdh(handle.key, point.baseAddress, point.count, output.baseAddress)
            }
        }
        try CryptoError.check(status)
        return secret
    }

    /// Appends an ECDSA signature over the SHA-256 of `message`: DER, at most 72 octets.
    public func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) {
        var octets = InlineArray<72, UInt8>(repeating: 0)
        var length = octets.count
        var output = octets.mutableSpan
        let status = message.withUnsafeBufferPointer { message in
            output.withUnsafeMutableBufferPointer { output in
                readerd_crypto_sign(handle.key, message.baseAddress, message.count, output.baseAddress, &length)
            }
        }
        try CryptoError.check(status)
        octets.span.extracting(first: length).withUnsafeBufferPointer { signature.append(contentsOf: $0) }
    }
}
