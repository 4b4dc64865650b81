// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// HKDF (RFC 5869) with SHA-256, extract and expand combined.
public enum HKDFSHA256 {
    /// Derives `count` octets (1 to 8160) from `inputKey`.
    public static func derive<let count: Int>(
        inputKey: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<count, UInt8> {
        var output = InlineArray<count, UInt8>(repeating: 0)
        var span = output.mutableSpan
        try derive(into: &span, inputKey: inputKey, salt: salt, info: info)
        return output
    }

    /// Fills `output` (1 to 8160 octets). An empty `inputKey` is refused, as it is always a mistake.
    public static func derive(
        into output: inout MutableSpan<UInt8>, inputKey: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>
    ) throws(CryptoError) {
        let status = output.withUnsafeMutableBufferPointer { output in
            inputKey.withUnsafeBufferPointer { key in
                salt.withUnsafeBufferPointer { salt in
                    info.withUnsafeBufferPointer { info in
                        readerd_crypto_hkdf_sha256(
                            key.baseAddress, key.count, salt.baseAddress, salt.count,
                            info.baseAddress, info.count, output.baseAddress, output.count)
                    }
                }
            }
        }
        try CryptoError.check(status)
    }
}
