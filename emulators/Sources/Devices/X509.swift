// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets

/// Parts of X.509 version 3 certificates (RFC 5280) for P-256 keys.
enum X509 {
    /// ecdsa-with-SHA256 (RFC 5758, 3.2).
    static let algorithm = DER.element(.sequence, DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))

    /// A certificate, signed by its issuer's key.
    static func certificate(
        serialNumber: [UInt8], issuer: [UInt8], validity: (from: [UInt8], to: [UInt8]), subject: [UInt8],
        _ key: P256PublicKey, _ extensions: [[UInt8]], signedBy issuerKey: P256PrivateKey
    ) throws(CryptoError) -> [UInt8] {
        let body = DER.element(
            .sequence,
            DER.element(.explicit0, DER.integer([2])), DER.integer(serialNumber), algorithm, issuer,
            DER.element(.sequence, validity.from, validity.to), subject, key.der(),
            DER.element(.explicit3, DER.element(.sequence, of: extensions)))
        var signature: [UInt8] = []
        try issuerKey.sign(body.span, into: &signature)
        return DER.element(.sequence, body, algorithm, DER.bits(signature))
    }

    /// The identifier of a key: the first 160 bits of its SHA-256 (RFC 7093, 2).
    static func identifier(of key: P256PublicKey) throws(CryptoError) -> [UInt8] {
        let point = key.point.octets
        let digest = try SHA256.hash(point.span)
        return (0..<20).map { digest[$0] }
    }

    /// A time of a certificate: two digits of the year until 2049, four later (RFC 5280, 4.1.2.5).
    static func time(_ text: String) -> [UInt8] {
        DER.element(text.utf8.count == 13 ? .utcTime : .generalizedTime, Array(text.utf8))
    }

    /// An attribute of a name.
    static func attribute(_ type: [UInt8], _ text: String) -> [UInt8] {
        DER.element(.set, DER.element(.sequence, type, DER.element(.utf8String, Array(text.utf8))))
    }

    /// The attribute for the common name.
    static func commonName(_ text: String) -> [UInt8] { attribute(DER.identifier([0x55, 0x04, 0x03]), text) }

    /// An extension of RFC 5280, 4.2.1, by the last part of its identifier.
    static func `extension`(_ number: UInt8, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        DER.element(
            .sequence, DER.identifier([0x55, 0x1D, number]), isCritical ? DER.true : [],
            DER.element(.octetString, value))
    }
}
