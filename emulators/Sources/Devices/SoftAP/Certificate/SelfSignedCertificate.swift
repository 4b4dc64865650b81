// SPDX-License-Identifier: Apache-2.0

public import Crypto
import Octets
internal import Timekeeping

/// A self-signed X.509 version 3 certificate (RFC 5280) for a P-256 key.
///
/// It has the structure of the one in Nordic's software, so that an app that trusts that one accepts this one if
/// configured to: for `wifiprov.local` and `*.wifiprov.local`, certificate authority and server in one, valid for ten
/// years. The extensions that RFC 5280 requires besides are present too (key usage, key identifier).
public struct SelfSignedCertificate: Equatable, Sendable {
    /// The validity in days.
    public static let days: Int64 = 3650

    /// The certificate, as DER.
    public let der: [UInt8]

    /// Creates a certificate for a host name and its subdomains.
    ///
    /// - Parameters:
    ///   - serial: about 16 random octets, which distinguish certificates (RFC 5280, 4.1.2.2).
    ///   - epochSeconds: the current time; the validity starts a day earlier, since a phone's clock may be slow.
    /// - Throws: `CryptoError` of the key.
    public init(
        host: String, key: P256PrivateKey, serial: [UInt8], epochSeconds: Int64
    ) throws(CryptoError) {
        // Neither 0 nor negative.
        var serial = serial
        serial.insert(0x40, at: 0)
        let name = DER.element(.sequence, X509.commonName(host))
        let from = epochSeconds - 86_400
        der = try X509.certificate(
            serialNumber: serial, issuer: name,
            validity: (
                SelfSignedCertificate.time(from), SelfSignedCertificate.time(from + SelfSignedCertificate.days * 86_400)
            ),
            subject: name, key.publicKey, try SelfSignedCertificate.extensions(host, key.publicKey), signedBy: key)
    }

    private static func extensions(_ host: String, _ key: P256PublicKey) throws(CryptoError) -> [[UInt8]] {
        let names = [host, "*." + host].map { DER.element(.implicit2, Array($0.utf8)) }
        return [
            // basicConstraints, critical: a certificate authority.
            X509.extension(0x13, isCritical: true, DER.element(.sequence, DER.true)),
            // keyUsage, critical: digitalSignature and keyCertSign, bits 0 and 5.
            X509.extension(0x0F, isCritical: true, DER.namedBits(0x21)),
            // extKeyUsage: serverAuth.
            X509.extension(
                0x25, DER.element(.sequence, DER.identifier([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01]))),
            // subjectKeyIdentifier.
            X509.extension(0x0E, DER.element(.octetString, try X509.identifier(of: key))),
            // subjectAltName.
            X509.extension(0x11, DER.element(.sequence, of: names)),
        ]
    }

    private static func time(_ epochSeconds: Int64) -> [UInt8] {
        let time = CivilTime(epochSeconds: epochSeconds)
        let rest = [time.month, time.day, time.hour, time.minute, time.second].map { $0.padded(to: 2) }.joined() + "Z"
        return X509.time((time.year >= 2050 ? "\(time.year)" : (time.year % 100).padded(to: 2)) + rest)
    }
}
