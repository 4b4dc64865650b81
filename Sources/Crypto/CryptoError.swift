import CCrypto

/// Why a primitive gave no answer. Carries no octets, so it can be logged.
public enum CryptoError: Error, Equatable, Sendable {
    /// Not a key, a scalar outside 1 to n − 1, or halves that do not belong together.
    case invalidKey
    /// A PEM that asks for a passphrase; none is ever prompted for. Store the key unencrypted (mode 0600).
    case encryptedKey
    /// A sound key, but not on P-256 by name.
    case unsupportedKey
    /// Not an uncompressed point (04 ‖ X ‖ Y) on P-256.
    case invalidPoint
    /// A key, vector, input or output of a length that the algorithm does not take.
    case invalidLength
    /// libcrypto refused: out of memory, or a build without the algorithm.
    case libraryFailure

    /// Throws what `status`, a code of CCrypto, says; returns on success.
    static func check(_ status: Int32) throws(CryptoError) {
        switch Int(status) {
        case READERD_CRYPTO_OK: return
        case READERD_CRYPTO_INVALID_KEY: throw .invalidKey
        case READERD_CRYPTO_ENCRYPTED_KEY: throw .encryptedKey
        case READERD_CRYPTO_UNSUPPORTED_KEY: throw .unsupportedKey
        case READERD_CRYPTO_INVALID_POINT: throw .invalidPoint
        case READERD_CRYPTO_INVALID_LENGTH: throw .invalidLength
        default: throw .libraryFailure
        }
    }
}
