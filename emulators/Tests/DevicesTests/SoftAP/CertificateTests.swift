// SPDX-License-Identifier: Apache-2.0

import Crypto
import Devices
import TestSupport
import Testing

/// The certificate's octets (RFC 5280; X.690). Its acceptance by OpenSSL is tested in Tests/Interop.
@Suite struct CertificateTests {
    /// 2026-11-21 00:00:00 UTC
    private static let november: Int64 = 1_795_219_200

    private static func key() throws -> P256PrivateKey {
        let scalar = [UInt8](repeating: 0x11, count: 32)
        return try P256PrivateKey(scalar: scalar.span)
    }

    @Test func isWrittenAsRFC5280Says() throws {
        let serial = octets("ffeeddccbbaa99887766554433221100")
        let key = try Self.key()
        let certificate = try SelfSignedCertificate(
            host: "wifiprov.local", key: key, serial: serial, epochSeconds: Self.november)
        let point = key.publicPoint.octets
        let publicKey = octets("3059301306072a8648ce3d020106082a8648ce3d030107034200") + octets(point)
        let pointOctets = octets(point)
        let digest = try SHA256.hash(pointOctets.span)
        let name = octets("3019 3117 3015 0603550403 0c0e") + Array("wifiprov.local".utf8)
        var body = octets("a003020102 0211 40") + serial
        body += octets("300a06082a8648ce3d040302") + name
        body += octets("301e 170d") + Array("261120000000Z".utf8) + octets("170d") + Array("361117000000Z".utf8)
        body += name + publicKey
        var extensions = octets("300f0603551d130101ff040530030101ff 300e0603551d0f0101ff040403020284")
        extensions += octets("30130603551d25040c300a06082b06010505070301 301d0603551d0e04160414")
        extensions += octets(digest).prefix(20)
        extensions += octets("302b0603551d110424 3022 820e") + Array("wifiprov.local".utf8)
        extensions += octets("8210") + Array("*.wifiprov.local".utf8)
        body += [0xA3, 0x81, UInt8(extensions.count + 3), 0x30, 0x81, UInt8(extensions.count)] + extensions
        let signed = octets("3082") + [UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
        // Before it is the total length, and after it the signature.
        let at = 4
        #expect(Array(certificate.der[at..<at + signed.count]) == signed)
        #expect(Array(certificate.der.prefix(2)) == [0x30, 0x82])
        let total = Int(certificate.der[2]) << 8 | Int(certificate.der[3])
        #expect(certificate.der.count == total + 4)
        let end = Array(certificate.der[(at + signed.count)...])
        #expect(Array(end.prefix(12)) == octets("300a06082a8648ce3d040302"))
        #expect(end[12] == 0x03 && Int(end[13]) == end.count - 14 && end[14] == 0)
        let signature = Array(end[15...])
        let isValid = key.publicKey.isValid(signature: signature.span, for: signed.span)
        #expect(isValid)
    }

    /// Two digits of the year to 2049, four from then on (4.1.2.5).
    @Test func yearsFrom2050HaveFourDigits() throws {
        let key = try Self.key()
        let certificate = try SelfSignedCertificate(
            host: "a", key: key, serial: [1], epochSeconds: Self.november + 15 * 365 * 86_400)
        let text = String(decoding: certificate.der, as: UTF8.self)
        #expect(text.contains("411116000000Z"))
        #expect(text.contains("20511114000000Z"))
    }
}
