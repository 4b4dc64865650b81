// SPDX-License-Identifier: Apache-2.0

import CCrypto

/// The reason why a primitive failed. It contains no octets, so it can be logged.
public enum CryptoError: Error, Equatable, Sendable {
    /// Not a key, a scalar outside 1 to n − 1, or a public key that does not match the private key.
    case invalidKey
    /// A PEM that requires a passphrase, which is never prompted for. Store the key unencrypted (mode 0600).
    case encryptedKey
    /// A valid key that is not on the named curve P-256.
    case unsupportedKey
    /// Not an uncompressed point (04 ‖ X ‖ Y) on P-256.
    case invalidPoint
    /// The length of a key, vector, input or output is invalid for the algorithm.
    case invalidLength
    /// The tag of sealed octets does not verify: another key, nonce or header, or modified octets.
    case notAuthentic
    /// libcrypto failed: out of memory, or a build without the algorithm.
    case libraryFailure

    /// Throws the error for `status`, a code of CCrypto; returns on success.
    static func check(_ status: Int32) throws(CryptoError) {
        switch Int(status) {
        case READERD_CRYPTO_OK: return
        case READERD_CRYPTO_INVALID_KEY: throw .invalidKey
        case READERD_CRYPTO_ENCRYPTED_KEY: throw .encryptedKey
        case READERD_CRYPTO_UNSUPPORTED_KEY: throw .unsupportedKey
        case READERD_CRYPTO_INVALID_POINT: throw .invalidPoint
        case READERD_CRYPTO_INVALID_LENGTH: throw .invalidLength
        case READERD_CRYPTO_NOT_AUTHENTIC: throw .notAuthentic
        default: throw .libraryFailure
        }
    }
}

extension CryptoError: CustomStringConvertible {
    /// The reason in a few words.
    public var description: String {
        switch self {
        case .invalidKey: "the key is invalid"
        case .encryptedKey: "the key is encrypted; store it without a passphrase"
        case .unsupportedKey: "the key is not on P-256"
        case .invalidPoint: "the point is not on P-256"
        case .invalidLength: "a length is invalid"
        case .notAuthentic: "the octets are not authentic"
        case .libraryFailure: "libcrypto failed"
        }
    }
}
