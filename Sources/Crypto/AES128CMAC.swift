// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// AES-CMAC (RFC 4493) with AES-128.
public enum AES128CMAC {
    /// The tag of `message` with a key of 16 octets.
    ///
    /// - Throws: `invalidLength` for a key of another length.
    public static func authenticate(
        key: Span<UInt8>, _ message: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<16, UInt8> {
        var tag = InlineArray<16, UInt8>(repeating: 0)
        var output = tag.mutableSpan
        let status = key.withUnsafeBufferPointer { key in
            message.withUnsafeBufferPointer { message in
                output.withUnsafeMutableBufferPointer { output in
                    readerd_crypto_aes128_cmac(
                        key.baseAddress, key.count, message.baseAddress, message.count, output.baseAddress)
                }
            }
        }
        try CryptoError.check(status)
        return tag
    }
}
