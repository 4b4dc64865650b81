// SPDX-License-Identifier: Apache-2.0

/// The AES-128 block cipher on a single block (FIPS 197), for protocols based on the plain cipher.
public enum AES128Block {
    /// Encrypts `block` (16 octets) with `key` (16 octets).
    ///
    /// - Throws: `invalidLength` for other lengths.
    public static func encrypt(
        _ block: Span<UInt8>, key: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<16, UInt8> {
        guard block.count == 16 else { throw .invalidLength }
        var output = InlineArray<16, UInt8> { block[$0] }
        var octets = output.mutableSpan
        // CBC of one block with a zero vector is the plain cipher.
        try AES128CBC.encrypt(inPlace: &octets, key: key)
        return output
    }
}
