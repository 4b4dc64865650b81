// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing

@Suite("One recorded exchange of the access protocol, primitive by primitive")
struct SessionVectorTests {
    private static let requestPoint = octets(
        """
        04948017f77e13fa01cb667f0552ce462977194ee5f2f71b351b75144d408d2717
        1ae52fa737562d611fb7c8550777e4a7e7a1f137d606956c17637f077ef5b96b
        """)
    private static let secret = octets("bba518196331c5aaf38c8d1b9b7cdb7c247170fc55747d2f95b819d170ec3556")
    private static let kdfSalt = octets("0ffe0eb6ccfed9dd5f748e29d1314bfa")
    private static let macSalt = octets("80aac04c1886aa62870a93bcee975919")
    private static let info = Array("Secure Message Exchange".utf8)
    private static let transponderSalt = octets("0ffe0eb6ccfed9dd80aac04c1886aa62")

    private static let requestPlaintext =
        octets(
            """
            80010a483046022100f748d96e82f03347f4f54b3a8de29899ad7882a85006da4f533610db36826c5b022100bf3b158eef279d
            0378958726e88c61d4faab0c3b4e04c89150ee7c53453e2f0912340a0c0a0a43524544303030303031120d08e70f1001180120
            00280030001a0d08ee0f10011801200028003000220450494e472a00
            """) + [UInt8](repeating: 0, count: 14)
    private static let requestCiphertext = octets(
        """
        a36201daefb3a6840e1aaa004f6365eea4327ea5726578c047223f1870c0a6e4084a02addcdc02addd524e2be19d0f10b3f31a8c
        9a7a6835b197328b409b269c248f46f1eeaa931ac4b9f9b93c8ba07a70d89f9fc150bb2fbed5d8ebcb2aaf592a272687bb0f749c
        e626717cb6b70b0fce0ba7f95fe555100e0f62f5a321a29ea938fb012979b93bed4aa3e7ff9cb168
        """)

    private func keys(for point: [UInt8]) throws -> InlineArray<96, UInt8> {
        let material = point + SessionVectorTests.secret
        return try HKDFSHA256.derive(
            inputKey: material.span, salt: SessionVectorTests.kdfSalt.span, info: SessionVectorTests.info.span)
    }

    @Test("Z is the demo terminal key's agreement with the request's point")
    func agreement() throws {
        let terminal = try P256PrivateKey(Demo.terminalScalar)
        #expect([UInt8](terminal.publicPoint.octets) == Demo.terminalPoint)
        #expect(
            try terminal.secret(with: SessionVectorTests.requestPoint)
                == SessionVectorTests.secret)
    }

    @Test("The request's keys, ciphertext and tag")
    func request() throws {
        let keys = try keys(for: SessionVectorTests.requestPoint)
        #expect(
            [UInt8](keys)[..<48]
                == octets(
                    """
                    37fa5990697c586ffb12ed25a6b1040e
                    504151280860a8e7515fc0828ef5026d51a871668980f3bbda87de5aab78d070
                    """)[...])
        var data = SessionVectorTests.requestCiphertext
        let tag = try HMACSHA256.authenticate(
            key: keys.span.extracting(16..<48), data.span, SessionVectorTests.macSalt.span)
        #expect([UInt8](tag) == octets("e241bfd00f056070bc8af5b1e1f717685127b7995e88384379fa8a9770be7ca4"))
        var span = data.mutableSpan
        try AES128CBC.decrypt(inPlace: &span, key: keys.span.extracting(0..<16))
        #expect(data == SessionVectorTests.requestPlaintext)
        span = data.mutableSpan
        try AES128CBC.encrypt(inPlace: &span, key: keys.span.extracting(0..<16))
        #expect(data == SessionVectorTests.requestCiphertext)
    }

    @Test("The response's keys, ciphertext and tag")
    func response() throws {
        let keys = try keys(for: Demo.terminalPoint)
        #expect(
            [UInt8](keys)
                == octets(
                    """
                    159037bc673a515cf547ca385417a26f8a0a4024b6af6def2f56cdd763a1028eaff79f8d764db44cde9aa86000804f8f
                    76f74b046163117cc0f7a9d1625500b5895dc4611655b4a368320c60f1e682f9b6a630ecc7c0ea5af8b39816a00385f0
                    """))
        var data = octets("0d0a0b0a08bce985b106100118130000")
        var span = data.mutableSpan
        try AES128CBC.encrypt(inPlace: &span, key: keys.span.extracting(48..<64))
        #expect(data == octets("559ba33c43db618704f8b0babb21a142"))
        let tag = try HMACSHA256.authenticate(
            key: keys.span.extracting(64..<96), data.span, SessionVectorTests.macSalt.span)
        #expect([UInt8](tag) == octets("c2eae631ad5b03e21868334f34149233dbc9a469228b5312f6f7b6348f5c12d3"))
    }

    @Test("The terminal's signature over the phone's salt, and the token's over its text")
    func signatures() throws {
        let terminal = try P256PublicKey(Demo.terminalPoint)
        let reply = octets(
            """
            3045022100b54a4bfe5264ada3792a38143164404daf83605f4320e54e13fb2dbcb25ac02f
            02205bac394d29ffd143e7426232fb52178083f09e1b7ecaa21faaee04fafe76a691
            """)
        #expect(terminal.accepts(reply, for: SessionVectorTests.transponderSalt))
        #expect(!terminal.accepts(reply, for: SessionVectorTests.kdfSalt))
        let backend = try P256PublicKey(Demo.signaturePoint)
        let text = Array("CRED000001:PING:2023:1:1:0:0:2030:1:1:0:0".utf8)
        let token = SessionVectorTests.requestPlaintext[4..<76]
        #expect(backend.accepts(token, for: text))
        #expect(!terminal.accepts(token, for: text))
    }

    @Test("The demo signature key is the one its published point says")
    func demoSignatureKey() throws {
        let key = try P256PrivateKey(Demo.signatureScalar)
        #expect([UInt8](key.publicPoint.octets) == Demo.signaturePoint)
    }
}
