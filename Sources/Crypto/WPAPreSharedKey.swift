// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// The pre-shared key of WPA and WPA2.
public enum WPAPreSharedKey {
    /// Derives the key of `passphrase` in the network `name` (IEEE 802.11-2020, J.4.1): PBKDF2 with HMAC-SHA-1, 4096
    /// iterations, some milliseconds. The result is secret.
    public static func derive(
        passphrase: Span<UInt8>, name: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<32, UInt8> {
        var key = InlineArray<32, UInt8>(repeating: 0)
        var output = key.mutableSpan
        let status = passphrase.withUnsafeBufferPointer { passphrase in
            name.withUnsafeBufferPointer { name in
                output.withUnsafeMutableBufferPointer { output in
                    readerd_crypto_wpa_psk(
                        passphrase.baseAddress, passphrase.count, name.baseAddress, name.count, output.baseAddress)
                }
            }
        }
        try CryptoError.check(status)
        return key
    }
}
