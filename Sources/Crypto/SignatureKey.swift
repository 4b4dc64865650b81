// SPDX-License-Identifier: Apache-2.0

/// A public key reduced to its point and the verification of signatures, so that token verification does not depend
/// on the implementation.
public protocol SignatureKey: Sendable {
    /// The public point.
    var point: P256Point { get }

    /// Returns true if `signature` is a signature over `message` by the corresponding private key.
    func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool
}

/// ECDSA over SHA-256 on P-256.
extension P256PublicKey: SignatureKey {}
