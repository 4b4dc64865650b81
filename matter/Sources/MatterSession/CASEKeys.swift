// SPDX-License-Identifier: Apache-2.0

package import Crypto

/// The key schedule of certificate-authenticated session establishment (Core 4.14.2).
package enum CASEKeys {
    package static let sigma2Nonce = Array("NCASE_Sigma2N".utf8)
    package static let sigma3Nonce = Array("NCASE_Sigma3N".utf8)
    static let resume1Nonce = Array("NCASE_SigmaS1".utf8)
    static let resume2Nonce = Array("NCASE_SigmaS2".utf8)

    /// S2K.
    package static func sigma2(
        secret: SessionSecret, groupKey: [UInt8], responderRandom: [UInt8], responderKey: [UInt8], sigma1: [UInt8]
    ) throws(CryptoError) -> SessionSecret {
        let salt = groupKey + responderRandom + responderKey + (try hash(sigma1))
        return try SessionSecret.derive(count: 16, from: secret.octets, salt: salt, info: "Sigma2")
    }

    /// S3K.
    ///
    /// - Parameter transcript: Sigma1 ‖ Sigma2.
    package static func sigma3(
        secret: SessionSecret, groupKey: [UInt8], transcript: [UInt8]
    ) throws(CryptoError) -> SessionSecret {
        let salt = groupKey + (try hash(transcript))
        return try SessionSecret.derive(count: 16, from: secret.octets, salt: salt, info: "Sigma3")
    }

    /// The session keys.
    ///
    /// - Parameter transcript: Sigma1 ‖ Sigma2 ‖ Sigma3.
    package static func session(
        secret: SessionSecret, groupKey: [UInt8], transcript: [UInt8]
    ) throws(CryptoError) -> SessionKeys {
        let salt = groupKey + (try hash(transcript))
        return try SessionKeys(inputKey: secret.octets, salt: salt)
    }

    /// The tag that proves possession of the shared secret of `id`.
    package static func resumptionTag(
        secret: SessionSecret, initiatorRandom: [UInt8], id: [UInt8], isFromInitiator: Bool
    ) throws(CryptoError) -> [UInt8] {
        let key = try SessionSecret.derive(
            count: 16, from: secret.octets, salt: initiatorRandom + id,
            info: isFromInitiator ? "Sigma1_Resume" : "Sigma2_Resume")
        return try seal([], key: key, nonce: isFromInitiator ? resume1Nonce : resume2Nonce)
    }

    /// The keys of a resumed session.
    ///
    /// - Parameter id: the identifier that the initiator named.
    package static func resumed(
        secret: SessionSecret, initiatorRandom: [UInt8], id: [UInt8]
    ) throws(CryptoError) -> SessionKeys {
        try SessionKeys(inputKey: secret.octets, salt: initiatorRandom + id, info: "SessionResumptionKeys")
    }

    /// Ciphertext and tag, without associated data.
    package static func seal(_ octets: [UInt8], key: SessionSecret, nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        var sealed: [UInt8] = []
        let key = key.octets
        try AES128CCM.seal(octets.span, key: key.span, nonce: nonce.span, authenticating: Span(), into: &sealed)
        return sealed
    }

    /// The plaintext.
    package static func open(_ sealed: [UInt8], key: SessionSecret, nonce: [UInt8]) throws(CryptoError) -> [UInt8] {
        var octets: [UInt8] = []
        let key = key.octets
        try AES128CCM.open(sealed.span, key: key.span, nonce: nonce.span, authenticating: Span(), into: &octets)
        return octets
    }

    private static func hash(_ octets: [UInt8]) throws(CryptoError) -> [UInt8] {
        let hash = try SHA256.hash(octets.span)
        return hash.indices.map { hash[$0] }
    }
}
