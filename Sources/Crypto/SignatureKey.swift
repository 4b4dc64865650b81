/// A public key of which only its point and its word on a signature are asked for, so that what checks tokens does not
/// depend on how a key does.
public protocol SignatureKey: Sendable {
    /// The public point.
    var point: P256Point { get }

    /// Whether `signature` was made over `message` with this key's private half.
    func isValid(signature: Span<UInt8>, for message: Span<UInt8>) -> Bool
}

/// ECDSA over SHA-256 on P-256.
extension P256PublicKey: SignatureKey {}
