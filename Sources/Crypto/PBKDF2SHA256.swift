// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// PBKDF2 (RFC 8018, 5.2) with HMAC-SHA-256.
public enum PBKDF2SHA256 {
    /// Derives `count` octets from `password`. The result is secret: wipe it after its use.
    ///
    /// - Throws: `invalidLength` unless `iterations` and `count` are from 1 to 2³¹ − 1.
    public static func derive(
        password: Span<UInt8>, salt: Span<UInt8>, iterations: Int, count: Int
    ) throws(CryptoError) -> [UInt8] {
        guard let iterations = UInt32(exactly: iterations), (1...Int(Int32.max)).contains(count) else {
            throw .invalidLength
        }
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        let status = span.withUnsafeMutableBufferPointer { output in
            password.withUnsafeBufferPointer { password in
                salt.withUnsafeBufferPointer { salt in
                    readerd_crypto_pbkdf2_sha256(
                        password.baseAddress, password.count, salt.baseAddress, salt.count, iterations,
                        output.baseAddress, output.count)
                }
            }
        }
        try CryptoError.check(status)
        return output
    }
}
