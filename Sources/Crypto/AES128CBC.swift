// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// AES-128 in cipher block chaining mode (SP 800-38A, 6.2), without padding, in place.
///
/// Keys and vectors have 16 octets; the data is a multiple of 16. Other lengths throw `invalidLength`.
public enum AES128CBC {
    /// Encrypts all of `octets`.
    public static func encrypt(
        inPlace octets: inout MutableSpan<UInt8>, key: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) {
        try apply(1, to: &octets, key: key, iv: iv)
    }

    /// Decrypts all of `octets`. Verify the authentication tag first: modifications are not detected here.
    public static func decrypt(
        inPlace octets: inout MutableSpan<UInt8>, key: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) {
        try apply(0, to: &octets, key: key, iv: iv)
    }

    /// Encrypts with a zero vector: correct only if every message has its own key.
    public static func encrypt(inPlace octets: inout MutableSpan<UInt8>, key: Span<UInt8>) throws(CryptoError) {
        let zero = InlineArray<16, UInt8>(repeating: 0)
        try apply(1, to: &octets, key: key, iv: zero.span)
    }

    /// Decrypts with a zero vector.
    public static func decrypt(inPlace octets: inout MutableSpan<UInt8>, key: Span<UInt8>) throws(CryptoError) {
        let zero = InlineArray<16, UInt8>(repeating: 0)
        try apply(0, to: &octets, key: key, iv: zero.span)
    }

    private static func apply(
        _ encrypt: Int32, to octets: inout MutableSpan<UInt8>, key: Span<UInt8>, iv: Span<UInt8>
    ) throws(CryptoError) {
        let status = octets.withUnsafeMutableBufferPointer { octets in
            key.withUnsafeBufferPointer { key in
                iv.withUnsafeBufferPointer { iv in
                    readerd_crypto_aes128_cbc(
                        encrypt, key.baseAddress, key.count, iv.baseAddress, iv.count,
                        octets.baseAddress, octets.count)
                }
            }
        }
        try CryptoError.check(status)
    }
}
