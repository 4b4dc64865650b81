// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// AES-128 in counter mode with CBC-MAC (SP 800-38C; RFC 3610): nonce of 13 octets, at most 65,535 octets.
public enum AES128CCM: AuthenticatedCipher {
    /// OpenSSL's.
    public static var functions: CipherFunctions {
        CipherFunctions(seal: readerd_crypto_aes128_ccm_seal, open: readerd_crypto_aes128_ccm_open)
    }
}

/// AES-256 in counter mode with CBC-MAC (SP 800-38C; RFC 3610): nonce of 12 octets, at most 65,535 octets.
public enum AES256CCM: AuthenticatedCipher {
    /// OpenSSL's.
    public static var functions: CipherFunctions {
        CipherFunctions(seal: readerd_crypto_aes256_ccm_seal, open: readerd_crypto_aes256_ccm_open)
    }
}

/// AES-256 in Galois/counter mode (SP 800-38D): nonce of 12 octets.
public enum AES256GCM: AuthenticatedCipher {
    /// OpenSSL's.
    public static var functions: CipherFunctions {
        CipherFunctions(seal: readerd_crypto_aes256_gcm_seal, open: readerd_crypto_aes256_gcm_open)
    }
}

/// A cipher that also authenticates, with a tag of 16 octets.
///
/// A nonce is used once with a key. Other lengths throw `invalidLength`.
public protocol AuthenticatedCipher {
    /// The library's functions.
    static var functions: CipherFunctions { get }
}

extension AuthenticatedCipher {
    /// The octets that sealing adds.
    public static var tagCount: Int { 16 }

    /// Appends the encrypted `plaintext` and the tag, which also authenticates `header`.
    public static func seal(
        _ plaintext: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, authenticating header: Span<UInt8>,
        into sealed: inout [UInt8]
    ) throws(CryptoError) {
        try CipherFunctions.append(
            plaintext.count + tagCount, to: &sealed, from: plaintext, key, nonce, header, functions.seal)
    }

    /// Appends the plaintext of `sealed`, which ends with the tag.
    ///
    /// - Throws: `notAuthentic` if the tag does not verify; nothing is appended then.
    public static func open(
        _ sealed: Span<UInt8>, key: Span<UInt8>, nonce: Span<UInt8>, authenticating header: Span<UInt8>,
        into plaintext: inout [UInt8]
    ) throws(CryptoError) {
        guard sealed.count >= tagCount else { throw .invalidLength }
        try CipherFunctions.append(
            sealed.count - tagCount, to: &plaintext, from: sealed, key, nonce, header, functions.open)
    }
}

/// The functions of a cipher that also authenticates.
public struct CipherFunctions {
    typealias Function =
        @convention(c) (
            _ key: UnsafePointer<UInt8>?, Int, _ nonce: UnsafePointer<UInt8>?, Int, _ header: UnsafePointer<UInt8>?,
            Int, _ input: UnsafePointer<UInt8>?, Int, _ output: UnsafeMutablePointer<UInt8>?
        ) -> Int32

    let seal: Function
    let open: Function

    /// Appends the `count` octets that `function` writes; nothing if it fails.
    static func append(
        _ count: Int, to output: inout [UInt8], from input: Span<UInt8>, _ key: Span<UInt8>, _ nonce: Span<UInt8>,
        _ header: Span<UInt8>, _ function: Function
    ) throws(CryptoError) {
        let start = output.count
        output.append(contentsOf: repeatElement(0, count: count))
        let status = output.withUnsafeMutableBufferPointer { output in
            input.withUnsafeBufferPointer { input in
                key.withUnsafeBufferPointer { key in
                    nonce.withUnsafeBufferPointer { nonce in
                        header.withUnsafeBufferPointer { header in
                            function(
                                key.baseAddress, key.count, nonce.baseAddress, nonce.count, header.baseAddress,
                                header.count, input.baseAddress, input.count, output.baseAddress.map { $0 + start })
                        }
                    }
                }
            }
        }
        if Int(status) != READERD_CRYPTO_OK { output.removeLast(count) }
        try CryptoError.check(status)
    }
}
