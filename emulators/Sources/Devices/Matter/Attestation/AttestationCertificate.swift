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
                    attributes.append(X509.attribute(type, digits))
                }
            }
            return DER.element(.sequence, of: [X509.commonName(text)] + attributes)
        }
    }

    let subject: Name
    let issuer: Name
    let key: P256PublicKey
    /// The number of authorities that may follow; nil for a device.
    let pathLength: UInt8?
    /// 1 to 20 octets, the first of them 1 to 127.
    let serialNumber: [UInt8]
    var notBefore = X509.time("240101000000Z")
    var notAfter = X509.time("99991231235959Z")

    /// The certificate signed by its issuer's key.
    func der(signedBy issuerKey: P256PrivateKey) throws(CryptoError) -> [UInt8] {
        // digitalSignature; keyCertSign and cRLSign.
        let usage = DER.namedBits(pathLength == nil ? 0x01 : 0x60)
        let constraints = DER.element(.sequence, of: pathLength.map { [DER.true, DER.integer([$0])] } ?? [])
        let extensions = try [
            X509.extension(0x13, isCritical: true, constraints),
            X509.extension(0x0F, isCritical: true, usage),
            X509.extension(0x0E, DER.element(.octetString, X509.identifier(of: key))),
            X509.extension(
                0x23,
                DER.element(.sequence, DER.element(.implicit0, X509.identifier(of: issuerKey.publicKey)))),
        ]
        return try X509.certificate(
            serialNumber: serialNumber, issuer: issuer.der, validity: (notBefore, notAfter), subject: subject.der,
            key, extensions, signedBy: issuerKey)
    }
}
