// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// HMAC (RFC 2104) with SHA-256.
public enum HMACSHA256 {
    /// The tag of the concatenation of `first` and `second`, with a key of any length.
    public static func authenticate(
        key: Span<UInt8>, _ first: Span<UInt8>, _ second: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<32, UInt8> {
        var tag = InlineArray<32, UInt8>(repeating: 0)
        var output = tag.mutableSpan
        let status = key.withUnsafeBufferPointer { key in
            first.withUnsafeBufferPointer { first in
                second.withUnsafeBufferPointer { second in
                    output.withUnsafeMutableBufferPointer { output in
                        readerd_crypto_hmac_sha256(
                            key.baseAddress, key.count, first.baseAddress, first.count,
                            second.baseAddress, second.count, output.baseAddress)
                    }
                }
            }
        }
        try CryptoError.check(status)
        return tag
    }
}
