// SPDX-License-Identifier: Apache-2.0

import Crypto
import Octets

/// The X.509 certificates of device attestation: PAA, PAI and DAC.
struct AttestationCertificate {
    /// The holder of a certificate.
    struct Name {
        let commonName: String
        var vendor: UInt16?
        var product: UInt16?
        /// True for vendor and product inside the common name.
        var isInCommonName = false

        var der: [UInt8] {
            var text = commonName
            var attributes: [[UInt8]] = []
            for (value, number, label) in [(vendor, UInt8(1), "Mvid"), (product, UInt8(2), "Mpid")] {
                guard let digits = value?.padded(to: 4, radix: 16, uppercase: true) else { continue }
                if isInCommonName {
                    text += " \(label):\(digits)"
                } else {
                    // 1.3.6.1.4.1.37244.2, the attributes of device attestation.
                    let type = DER.identifier([0x2B, 0x06, 0x01, 0x04, 0x01, 0x82, 0xA2, 0x7C, 0x02, number])
                    attributes.append(AttestationCertificate.attribute(type, digits))
                }
            }
            let name = AttestationCertificate.attribute(DER.identifier([0x55, 0x04, 0x03]), text)
            return DER.element(.sequence, of: [name] + attributes)
        }
    }

    let subject: Name
    let issuer: Name
    let key: P256PublicKey
    /// The number of authorities that may follow; nil for a device.
    let pathLength: UInt8?
    /// 1 to 20 octets, the first of them 1 to 127.
    let serialNumber: [UInt8]
    var notBefore = AttestationCertificate.time("240101000000Z")
    var notAfter = AttestationCertificate.time("99991231235959Z")

    /// The certificate signed by its issuer's key.
    func der(signedBy issuerKey: P256PrivateKey) throws(CryptoError) -> [UInt8] {
        // digitalSignature; keyCertSign and cRLSign.
        let usage = DER.namedBits(pathLength == nil ? 0x01 : 0x60)
        let constraints = DER.element(.sequence, of: pathLength.map { [DER.true, DER.integer([$0])] } ?? [])
        let extensions = try DER.element(
            .sequence,
            AttestationCertificate.extension(0x13, isCritical: true, constraints),
            AttestationCertificate.extension(0x0F, isCritical: true, usage),
            AttestationCertificate.extension(
                0x0E, DER.element(.octetString, AttestationCertificate.identifier(of: key))),
            AttestationCertificate.extension(
                0x23,
                DER.element(
                    .sequence, DER.element(.implicit0, AttestationCertificate.identifier(of: issuerKey.publicKey)))))
        let body = DER.element(
            .sequence,
            DER.element(.explicit0, DER.integer([2])), DER.integer(serialNumber), AttestationCertificate.algorithm,
            issuer.der,
            DER.element(.sequence, notBefore, notAfter), subject.der, key.der(), DER.element(.explicit3, extensions))
        var signature: [UInt8] = []
        try issuerKey.sign(body.span, into: &signature)
        return DER.element(.sequence, body, AttestationCertificate.algorithm, DER.bits(signature))
    }

    /// ecdsa-with-SHA256 (RFC 5758, 3.2).
    static let algorithm = DER.element(.sequence, DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))

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

    private static func attribute(_ type: [UInt8], _ text: String) -> [UInt8] {
        DER.element(.set, DER.element(.sequence, type, DER.element(.utf8String, Array(text.utf8))))
    }

    private static func `extension`(_ number: UInt8, isCritical: Bool = false, _ value: [UInt8]) -> [UInt8] {
        DER.element(
            .sequence, DER.identifier([0x55, 0x1D, number]), isCritical ? DER.true : [],
            DER.element(.octetString, value))
    }
}
