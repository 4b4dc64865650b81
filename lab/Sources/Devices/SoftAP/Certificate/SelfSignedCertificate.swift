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
        let name = DER.element(
            .sequence,
            DER.element(
                .set,
                DER.element(.sequence, DER.identifier([0x55, 0x04, 0x03]), DER.element(.utf8String, Array(host.utf8)))))
        let from = epochSeconds - 86_400
        let body = DER.element(
            .sequence,
            DER.element(.explicit0, DER.integer([2])), DER.integer(serial), SelfSignedCertificate.algorithm, name,
            DER.element(
                .sequence,
                SelfSignedCertificate.time(from),
                SelfSignedCertificate.time(from + SelfSignedCertificate.days * 86_400)),
            name, key.publicKey.der(),
            DER.element(.explicit3, try SelfSignedCertificate.extensions(host, key.publicKey)))
        var signature: [UInt8] = []
        try key.sign(body.span, into: &signature)
        der = DER.element(.sequence, body, SelfSignedCertificate.algorithm, DER.bits(signature))
    }

    /// ecdsa-with-SHA256 (RFC 5758, 3.2).
    private static let algorithm = DER.element(
        .sequence, DER.identifier([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x04, 0x03, 0x02]))

    private static func extensions(_ host: String, _ key: P256PublicKey) throws(CryptoError) -> [UInt8] {
        let names = [host, "*." + host].map { DER.element(.implicit2, Array($0.utf8)) }
        // The first 160 bits of the SHA-256 (RFC 7093, 2).
        let digest = try SHA256.hash(octets(key.point.octets).span)
        let identifier = Array(octets(digest).prefix(20))
        return DER.element(
            .sequence,
            // basicConstraints, critical: a certificate authority.
            DER.element(
                .sequence, DER.identifier([0x55, 0x1D, 0x13]), DER.true,
                DER.element(.octetString, DER.element(.sequence, DER.true))),
            // keyUsage, critical: digitalSignature and keyCertSign, bits 0 and 5.
            DER.element(
                .sequence, DER.identifier([0x55, 0x1D, 0x0F]), DER.true, DER.element(.octetString, DER.namedBits(0x21))),
            // extKeyUsage: serverAuth.
            DER.element(
                .sequence,
                DER.identifier([0x55, 0x1D, 0x25]),
                DER.element(
                    .octetString,
                    DER.element(.sequence, DER.identifier([0x2B, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01])))),
            // subjectKeyIdentifier.
            DER.element(
                .sequence, DER.identifier([0x55, 0x1D, 0x0E]),
                DER.element(.octetString, DER.element(.octetString, identifier))),
            // subjectAltName.
            DER.element(
                .sequence, DER.identifier([0x55, 0x1D, 0x11]),
                DER.element(.octetString, DER.element(.sequence, of: names))))
    }

    /// Up to 2049 with two digits of the year, then with four (RFC 5280, 4.1.2.5).
    private static func time(_ epochSeconds: Int64) -> [UInt8] {
        let time = CivilTime(epochSeconds: epochSeconds)
        let rest = [time.month, time.day, time.hour, time.minute, time.second].map { $0.padded(to: 2) }.joined() + "Z"
        guard time.year >= 2050 else {
            return DER.element(.utcTime, Array(((time.year % 100).padded(to: 2) + rest).utf8))
        }
        return DER.element(.generalizedTime, Array(("\(time.year)" + rest).utf8))
    }

    private static func octets<let count: Int>(_ array: InlineArray<count, UInt8>) -> [UInt8] {
        (0..<count).map { array[$0] }
    }
}
