/// A private key on P-256 of which only the work is asked for, wherever it is kept: in this process's memory, in a TPM,
/// in a token behind PKCS#11. Nothing here gives the key itself away.
///
/// Whoever holds it answers at once, within a few milliseconds: it is asked on the thread that moves the lock.
public protocol HeldPrivateKey: Sendable {
    /// The public half.
    var publicKey: P256PublicKey { get }

    /// ECDH: the x coordinate of the key's scalar times `point` (SEC 1, 3.3.1), which is secret.
    ///
    /// `point` is 04 ‖ X ‖ Y and comes from outside: one that is not on the curve throws `invalidPoint`. A holder that
    /// does not answer throws `libraryFailure`.
    func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8>

    /// Appends an ECDSA signature over the SHA-256 of `message`: DER, at most 72 octets. A holder that does not answer
    /// throws `libraryFailure`.
    func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError)
}

extension HeldPrivateKey {
    /// The public half's point.
    public var publicPoint: P256Point { publicKey.point }
}

/// A key in memory.
extension P256PrivateKey: HeldPrivateKey {}
