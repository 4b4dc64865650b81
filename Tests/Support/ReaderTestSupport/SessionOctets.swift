// SPDX-License-Identifier: Apache-2.0

import TestSupport
import AccessProtocol
import Crypto

/// The exchange of a vendor's phone with a vendor's device (access protocol, 5), octet by octet.
enum SessionOctets {
    static let handshake = octets("00132e300000 120a100ffe0eb6ccfed9dd80aac04c1886aa62")
    static let transponderSalt = octets("0ffe0eb6ccfed9dd80aac04c1886aa62")
    static let reply = octets(
        """
        005c3e740000 5b0a105f748e29d1314bfa870a93bcee97591912473045022100b54a4bfe5264ada3792a38143164404daf83605f
        4320e54e13fb2dbcb25ac02f02205bac394d29ffd143e7426232fb52178083f09e1b7ecaa21faaee04fafe76a691
        """)
    static let terminalSalt = octets("5f748e29d1314bfa870a93bcee975919")
    static let requestPoint = octets(
        """
        04948017f77e13fa01cb667f0552ce462977194ee5f2f71b351b75144d408d27171ae52fa737562d611fb7c8550777e4a7e7a1f137
        d606956c17637f077ef5b96b
        """)
    static let kdfSalt = octets("0ffe0eb6ccfed9dd5f748e29d1314bfa")
    static let macSalt = octets("80aac04c1886aa62870a93bcee975919")
    static let requestPlaintext =
        octets(
            """
            80010a483046022100f748d96e82f03347f4f54b3a8de29899ad7882a85006da4f533610db36826c5b022100bf3b158eef279d0378
            958726e88c61d4faab0c3b4e04c89150ee7c53453e2f0912340a0c0a0a43524544303030303031120d08e70f100118012000280030
            001a0d08ee0f10011801200028003000220450494e472a00
            """) + [UInt8](repeating: 0, count: 14)
    static let requestCiphertext = octets(
        """
        a36201daefb3a6840e1aaa004f6365eea4327ea5726578c047223f1870c0a6e4084a02addcdc02addd524e2be19d0f10b3f31a8c9a
        7a6835b197328b409b269c248f46f1eeaa931ac4b9f9b93c8ba07a70d89f9fc150bb2fbed5d8ebcb2aaf592a272687bb0f749ce626
        717cb6b70b0fce0ba7f95fe555100e0f62f5a321a29ea938fb012979b93bed4aa3e7ff9cb168
        """)
    static let requestTag = octets("e241bfd00f056070bc8af5b1e1f717685127b7995e88384379fa8a9770be7ca4")
    static let requestHeader = octets("00f171e10000")
    static let requestEnvelope = requestPoint + requestCiphertext + requestTag
    static let request = requestHeader + requestEnvelope
    static let resultData = octets("0a08bce985b10610011813")
    static let responsePlaintext = octets("0d0a0b0a08bce985b106100118130000")
    static let responseCiphertext = octets("559ba33c43db618704f8b0babb21a142")
    static let responseTag = octets("c2eae631ad5b03e21868334f34149233dbc9a469228b5312f6f7b6348f5c12d3")
    static let responseHeader = octets("0071e7880000")
    static let responseEnvelope = octets(DemoIdentity.terminalPoint) + responseCiphertext + responseTag
    static let response = responseHeader + responseEnvelope

    static func terminalKey() throws -> P256PrivateKey {
        try P256PrivateKey(scalar: DemoIdentity.terminalScalar.span)
    }

    static func salts() throws -> EnvelopeSalts {
        EnvelopeSalts(transponder: try salt(transponderSalt), terminal: try salt(terminalSalt))
    }

    static func salt(_ octets: [UInt8]) throws -> SessionSalt {
        guard let salt = SessionSalt(octets.span) else { throw StatusCode.salt }
        return salt
    }
}
