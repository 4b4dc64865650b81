// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// SHA-1 (FIPS 180-4) for identifiers that protocols define with it. It has known collisions: nothing is proven by it.
public enum SHA1 {
    /// The digest of `message`.
    public static func hash(_ message: Span<UInt8>) throws(CryptoError) -> InlineArray<20, UInt8> {
        var digest = InlineArray<20, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        let status = message.withUnsafeBufferPointer { message in
            output.withUnsafeMutableBufferPointer { output in
                readerd_crypto_sha1(message.baseAddress, message.count, output.baseAddress)
            }
        }
        try CryptoError.check(status)
        return digest
    }
}
