// SPDX-License-Identifier: Apache-2.0

public import Crypto
import MatterTLV
import Octets

/// A request for an operational certificate (PKCS#10, RFC 2986) of a new operational key.
public struct CertificateSigningRequest: Equatable, Sendable {
    /// The DER of the request.
    public let der: [UInt8]

    /// A request signed by `key`.
    ///
    /// - Throws: `libraryFailure` if the key's holder does not respond.
    public init(for key: some HeldPrivateKey) throws(CryptoError) {
        let information = CertificateSigningRequest.information(for: key.publicKey)
        var signature: [UInt8] = []
        try key.sign(information.span, into: &signature)
        der = DER.element(
            .sequence, information, DER.element(.sequence, DER.identifier(ObjectIdentifier.ecdsaWithSHA256)),
            DER.bits(signature))
    }

    /// The CertificationRequestInfo: subject O=CSA, and an empty extension request.
    static func information(for key: P256PublicKey) -> [UInt8] {
        let name = DER.element(
            .sequence, DER.identifier(ObjectIdentifier.organization), DER.element(.utf8String, Array("CSA".utf8)))
        let extensions = DER.element(
            .sequence, DER.identifier(ObjectIdentifier.extensionRequest), DER.element(.set, DER.element(.sequence)))
        return DER.element(
            .sequence, DER.element(.integer, [0]), DER.element(.sequence, DER.element(.set, name)), key.der(),
            DER.element(.explicit0, extensions))
    }

    /// The NOCSR elements of the response to CSRRequest, which the device attestation key signs.
    public func elements(nonce: [UInt8]) -> [UInt8] {
        TLVWriter.structure(reserving: der.count + nonce.count + 8) { elements in
            elements.octets(der, as: 1)
            elements.octets(nonce, as: 2)
        }
    }
}
