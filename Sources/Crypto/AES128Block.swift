/// The AES-128 block cipher on one block (FIPS 197), for protocols that build on the bare cipher.
public enum AES128Block {
    /// The 16 octets that `block` (16 octets) becomes under `key` (16 octets); other lengths throw `invalidLength`.
    public static func encrypt(
        _ block: Span<UInt8>, key: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<16, UInt8> {
        guard block.count == 16 else { throw .invalidLength }
        var output = InlineArray<16, UInt8> { block[$0] }
        var octets = output.mutableSpan
        // One block chained to zeroes is the cipher itself.
        try AES128CBC.encrypt(inPlace: &octets, key: key)
        return output
    }
}
