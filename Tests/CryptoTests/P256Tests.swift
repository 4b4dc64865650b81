// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing

@Suite("P-256: key agreement, signatures, points and files")
struct P256Tests {
    private static let prime = octets("ffffffff00000001000000000000000000000000ffffffffffffffffffffffff")
    private static let order = octets("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551")

    @Test("ECDH: RFC 5903, 8.1, both ways")
    func keyAgreement() throws {
        let initiator = try P256PrivateKey(octets("C88F01F510D9AC3F70A292DAA2316DE544E9AAB8AFE84049C62A9C57862D1433"))
        let responder = try P256PrivateKey(octets("C6EF9C5D78AE012A011164ACB397CE2088685D8F06BF9BE0B283AB46476BEE53"))
        #expect(
            [UInt8](initiator.publicPoint.octets)
                == octets(
                    """
                    04 DAD0B65394221CF9B051E1FECA5787D098DFE637FC90B9EF945D0C3772581180
                    5271A0461CDB8252D61F1C456FA3E59AB1F45B33ACCF5F58389E0577B8990BB3
                    """))
        let secret = octets("D6840F6B42F6EDAFD13116E0E12565202FEF8E9ECE7DCE03812464D04B9442DE")
        #expect(try initiator.secret(with: [UInt8](responder.publicPoint.octets)) == secret)
        #expect(try responder.secret(with: [UInt8](initiator.publicPoint.octets)) == secret)
    }

    @Test("Scalars outside 1 to n − 1, and of another length, are no keys")
    func scalars() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        var last = P256Tests.order
        last[31] -= 1
        var beyond = P256Tests.order
        beyond[31] += 1
        for scalar in [zero, P256Tests.order, beyond, [UInt8](repeating: 0xFF, count: 32)] {
            #expect(throws: CryptoError.invalidKey) { try P256PrivateKey(scalar: scalar.span) }
        }
        for length in [0, 31, 33] {
            #expect(throws: CryptoError.invalidLength) {
                try P256PrivateKey(scalar: [UInt8](repeating: 1, count: length).span)
            }
        }
        var one = zero
        one[31] = 1
        let base = try P256PrivateKey(scalar: one.span).publicPoint
        let opposite = try P256PrivateKey(scalar: last.span).publicPoint
        // n − 1 times the base point is the base point mirrored: same x, other y (SEC 2, 2.4.2 gives x).
        #expect(
            [UInt8](base.octets)[1...32]
                == octets("6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296")[...])
        #expect([UInt8](opposite.octets)[1...32] == [UInt8](base.octets)[1...32])
        #expect(opposite != base)
    }

    @Test("Products and inverses modulo the order")
    func scalarArithmetic() throws {
        func scalar(_ octets: [UInt8]) -> P256Group.Scalar { P256Group.Scalar { octets[$0] } }
        let one = scalar([UInt8](repeating: 0, count: 31) + [1])
        let two = scalar([UInt8](repeating: 0, count: 31) + [2])
        var last = P256Tests.order
        last[31] -= 1
        // (n − 1)² = 1 and 2 · (n + 1) / 2 = 1 modulo n.
        #expect(try [UInt8](P256Group.product(scalar(last), scalar(last))) == [UInt8](one))
        let half = try P256Group.inverse(of: two)
        #expect([UInt8](half) == octets("7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a9"))
        #expect(try [UInt8](P256Group.product(half, two)) == [UInt8](one))
        #expect(try [UInt8](P256Group.inverse(of: scalar(last))) == last)
        #expect(throws: CryptoError.invalidKey) { try P256Group.inverse(of: P256Group.Scalar(repeating: 0)) }
    }

    /// Creating the group takes longer than a multiplication in it: a reduction is far below a verification.
    @Test("The group is created once")
    func sharedGroup() throws {
        let key = try P256PrivateKey.generate()
        let message = octets("00")
        var signature: [UInt8] = []
        try key.sign(message.span, into: &signature)
        let isValid = key.publicKey.isValid(signature: signature.span, for: message.span)
        try #require(isValid)
        let number = [UInt8](repeating: 0xFF, count: 64)
        _ = try P256Group.scalar(reducing: number.span)
        let verification = processorTime {
            for _ in 0..<100 { _ = key.publicKey.isValid(signature: signature.span, for: message.span) }
        }
        let reduction = try processorTime {
            for _ in 0..<1000 { _ = try P256Group.scalar(reducing: number.span) }
        }
        #expect(reduction < verification)
    }

    /// The demo terminal point, made invalid in one way each.
    static let badPoints: [(name: String, octets: [UInt8])] = {
        let good = Demo.terminalPoint
        let x = Array(good[1...32])
        let y = Array(good[33...64])
        var flipped = good
        flipped[64] ^= 1
        let zero = [UInt8](repeating: 0, count: 32)
        // The point with x = 5 exists; x = p + 5 would be the same one if the library reduced it.
        let five = octets("0000000000000000000000000000000000000000000000000000000000000005")
        let fiveY = octets("459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc")
        let primePlusFive = octets("ffffffff00000001000000000000000000000001000000000000000000000004")
        return [
            ("y off the curve", flipped), ("origin", [4] + zero + zero), ("infinity", [0]),
            ("infinity, padded", [UInt8](repeating: 0, count: 65)), ("x = p", [4] + P256Tests.prime + y),
            ("y = p", [4] + x + P256Tests.prime), ("x = p + 5", [4] + primePlusFive + fiveY),
            ("x and y exchanged", [4] + y + x), ("x = 5, y = 5", [4] + five + five),
            ("compressed", [2 + good[64] % 2] + x), ("compressed, padded", [2 + good[64] % 2] + x + zero),
            ("hybrid", [6 + good[64] % 2] + x + y), ("no prefix", x + y), ("one short", Array(good.dropLast())),
            ("one more", good + [0]), ("empty", []), ("all ones", [UInt8](repeating: 0xFF, count: 65)),
        ]
    }()

    @Test("Bad points are refused by key agreement and as keys (SEC 1, 3.2.2.1)", arguments: badPoints.map(\.name))
    func badPoint(name: String) throws {
        let point = try #require(P256Tests.badPoints.first { $0.name == name }).octets
        let key = try P256PrivateKey(Demo.terminalScalar)
        #expect(throws: CryptoError.invalidPoint) { try key.sharedSecret(with: point.span) }
        #expect(throws: CryptoError.invalidPoint) { try P256PublicKey(point: point.span) }
    }

    @Test("The point whose x is 5 is on the curve, so the refusal of p + 5 above is about the range")
    func smallPoint() throws {
        let point = octets(
            """
            04 0000000000000000000000000000000000000000000000000000000000000005
            459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbcc
            """)
        let key = try P256PublicKey(point: point.span)
        #expect([UInt8](key.point.octets) == point)
    }

    @Test("ECDSA verification: RFC 6979, A.2.5, SHA-256, message sample")
    func knownSignature() throws {
        let key = try P256PublicKey(
            octets(
                """
                04 60FED4BA255A9D31C961EB74C6356D68C049B8923B61FA6CE669622E60F29FB6
                7903FE1008B8BC99A41AE9E95628BC64F2F1B20C2D7E9F5177A3C294D4462299
                """
            ))
        let r = octets("00EFD48B2AACB6A8FD1140DD9CD45E81D69D2C877B56AAF991C34D0EA84EAF3716")
        let s = octets("00F7CB1C942D657C41D436C7A1B6E29F65F3E900DBB9AFF4064DC4AB2F843ACDA8")
        let signature = [0x30, 70, 0x02, 33] + r + [0x02, 33] + s
        let message = Array("sample".utf8)
        #expect(key.accepts(signature, for: message))
        #expect(!key.accepts(signature, for: Array("sampl".utf8)))
        #expect(!key.accepts(signature, for: []))
    }

    @Test("Only strict DER verifies: no trailing octets, no other lengths, no raw pair, no spoilt octet")
    func strictSignatures() throws {
        let key = try P256PrivateKey(Demo.signatureScalar)
        let message = Array("CRED000001:PING".utf8)
        var good: [UInt8] = []
        try key.sign(message.span, into: &good)
        let publicKey = key.publicKey
        #expect(publicKey.accepts(good, for: message))
        var accepted = 0
        for length in 0..<good.count {
            accepted += publicKey.accepts(good[..<length], for: message) ? 1 : 0
        }
        for index in good.indices {
            for bit in 0..<8 {
                var spoilt = good
                spoilt[index] ^= 1 << bit
                accepted += publicKey.accepts(spoilt, for: message) ? 1 : 0
            }
        }
        #expect(accepted == 0)
        let longLength = [0x30, 0x81] + good.dropFirst()
        let indefinite = [0x30, 0x80] + good.dropFirst(2) + [0, 0]
        var inside = good + [0]
        inside[1] += 1
        let zeroes: [UInt8] = [0x30, 6, 2, 1, 0, 2, 1, 0]
        for bad in [good + [0], good + good, longLength, indefinite, inside, zeroes, Array(good[4...]), [0x30, 0]] {
            #expect(!publicKey.accepts(bad, for: message))
        }
        let other = try P256PublicKey(Demo.terminalPoint)
        #expect(!other.accepts(good, for: message))
    }

    @Test("Signing appends, also for an empty message, and is not the same twice")
    func signing() throws {
        let key = try P256PrivateKey.generate()
        let nothing: [UInt8] = []
        var output: [UInt8] = [0xEE]
        try key.sign(nothing.span, into: &output)
        #expect(output[0] == 0xEE)
        #expect((9...73).contains(output.count))
        #expect(key.publicKey.accepts(output[1...], for: nothing))
        var again: [UInt8] = []
        try key.sign(nothing.span, into: &again)
        #expect([0xEE] + again != output)
    }
}
