// SPDX-License-Identifier: Apache-2.0

/// A private key on P-256 that only provides operations, independent of its storage: in memory, in a TPM, in a token
/// behind PKCS#11. The key itself is not accessible.
///
/// Operations must complete within a few milliseconds: they are called on the thread that controls the lock.
public protocol HeldPrivateKey: Sendable {
    /// The public key.
    var publicKey: P256PublicKey { get }

    /// ECDH: the x coordinate of the key's scalar times `point` (SEC 1, 3.3.1), which is secret.
    ///
    /// - Parameter point: the peer's untrusted point, 04 ‖ X ‖ Y.
    /// - Throws: `invalidPoint` for a point that is not on the curve, `libraryFailure` if the holder does not
    ///   respond.
    func sharedSecret(with point: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8>

    /// Appends an ECDSA signature over the SHA-256 of `message`: DER, at most 72 octets.
    ///
    /// - Throws: `libraryFailure` if the holder does not respond.
    func sign(_ message: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError)
}

extension HeldPrivateKey {
    /// The public point.
    public var publicPoint: P256Point { publicKey.point }
}

/// A key in memory.
extension P256PrivateKey: HeldPrivateKey {}
