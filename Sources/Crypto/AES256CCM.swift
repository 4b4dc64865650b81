// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// AES-256 in counter mode with CBC-MAC (SP 800-38C; RFC 3610): tag of 16 octets, nonce of 12, at most 65,535 octets.
///
/// A nonce is used once with a key. Other lengths throw `invalidLength`.
public enum AES256CCM {
    /// The octets that sealing adds.
    public static let tagCount = 16

    /// Appends the encrypted `plaintext` and the tag, which also authenticates `header`.
    public static func seal(
        _ plaintext: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, authenticating header: Span<UInt8>,
        into sealed: inout [UInt8]
    ) throws(CryptoError) {
        try AEAD.append(
            plaintext.count + tagCount, to: &sealed, from: plaintext, key, nonce, header, readerd_crypto_aes256_ccm_seal
        )
    }

    /// Appends the plaintext of `sealed`, which ends with the tag.
    ///
    /// - Throws: `notAuthentic` if the tag does not verify; nothing is appended then.
    public static func open(
        _ sealed: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, authenticating header: Span<UInt8>,
        into plaintext: inout [UInt8]
    ) throws(CryptoError) {
        guard sealed.count >= tagCount else { throw .invalidLength }
        try AEAD.append(
            sealed.count - tagCount, to: &plaintext, from: sealed, key, nonce, header, readerd_crypto_aes256_ccm_open)
    }
}
