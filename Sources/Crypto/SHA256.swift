// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// SHA-256 (FIPS 180-4).
public enum SHA256 {
    /// The digest of `message`.
    public static func hash(_ message: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> {
        var digest = InlineArray<32, UInt8>(repeating: 0)
        var output = digest.mutableSpan
        let status = message.withUnsafeBufferPointer { message in
            output.withUnsafeMutableBufferPointer { output in
                readerd_crypto_sha256(message.baseAddress, message.count, output.baseAddress)
            }
        }
        try CryptoError.check(status)
        return digest
    }
}
