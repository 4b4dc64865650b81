// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing

@Suite("Hash, message authentication, key derivation and AES against the published vectors")
struct SymmetricTests {
    @Test("SHA-256: FIPS 180-4 examples")
    func sha256() throws {
        let vectors: [(message: [UInt8], digest: String)] = [
            ([], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            (Array("abc".utf8), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8),
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                [UInt8](repeating: 0x61, count: 1_000_000),
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
            ),
        ]
        for vector in vectors {
            let digest = try SHA256.hash(vector.message.span)
            #expect([UInt8](digest) == octets(vector.digest))
        }
    }

    @Test("HMAC-SHA-256: RFC 4231, 4.2 to 4.5, 4.7 and 4.8, cut in two anywhere")
    func hmac() throws {
        let longKey = [UInt8](repeating: 0xAA, count: 131)
        let text = """
            This is a test using a larger than block-size key and a larger than block-size data. The key needs to be \
            hashed before being used by the HMAC algorithm.
            """
        let vectors: [(key: [UInt8], message: [UInt8], tag: String)] = [
            (
                [UInt8](repeating: 0x0B, count: 20), Array("Hi There".utf8),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), Array("what do ya want for nothing?".utf8),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"
            ),
            (
                Array(1...25), [UInt8](repeating: 0xCD, count: 50),
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"
            ),
            (
                longKey, Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
            (longKey, Array(text.utf8), "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
        ]
        for vector in vectors {
            let message = vector.message.span
            var matches = 0
            for cut in 0...message.count {
                let tag = try HMACSHA256.authenticate(
                    key: vector.key.span, message.extracting(..<cut), message.extracting(cut...))
                matches += [UInt8](tag) == octets(vector.tag) ? 1 : 0
            }
            #expect(matches == message.count + 1)
        }
    }

    @Test("HKDF-SHA-256: RFC 5869, A.1 to A.3")
    func hkdf() throws {
        let nothing: [UInt8] = []
        let short = [UInt8](repeating: 0x0B, count: 22)
        let salt = [UInt8](0...12)
        let info = [UInt8](0xF0...0xF9)
        let first: InlineArray<42, UInt8> = try HKDFSHA256.derive(
            inputKey: short.span, salt: salt.span, info: info.span)
        #expect(
            [UInt8](first)
                == octets("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
        let long = [UInt8](0x00...0x4F)
        let longSalt = [UInt8](0x60...0xAF)
        let longInfo = [UInt8](0xB0...0xFF)
        let second: InlineArray<82, UInt8> = try HKDFSHA256.derive(
            inputKey: long.span, salt: longSalt.span, info: longInfo.span)
        #expect(
            [UInt8](second)
                == octets(
                    """
                    b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb
                    41c65e590e09da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87
                    """))
        let third: InlineArray<42, UInt8> = try HKDFSHA256.derive(
            inputKey: short.span, salt: nothing.span, info: nothing.span)
        #expect(
            [UInt8](third)
                == octets("8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8"))
    }

    @Test("HKDF refuses an empty key, no output, and more than 255 blocks (RFC 5869, 2.3)")
    func hkdfLimits() throws {
        let key: [UInt8] = [1]
        let nothing: [UInt8] = []
        #expect(throws: CryptoError.invalidLength) {
            let _: InlineArray<16, UInt8> = try HKDFSHA256.derive(
                inputKey: nothing.span, salt: nothing.span, info: nothing.span)
        }
        #expect(throws: CryptoError.invalidLength) {
            let _: InlineArray<0, UInt8> = try HKDFSHA256.derive(
                inputKey: key.span, salt: nothing.span, info: nothing.span)
        }
        #expect(throws: CryptoError.invalidLength) {
            let _: InlineArray<8161, UInt8> = try HKDFSHA256.derive(
                inputKey: key.span, salt: nothing.span, info: nothing.span)
        }
        let longest: InlineArray<8160, UInt8> = try HKDFSHA256.derive(
            inputKey: key.span, salt: nothing.span, info: nothing.span)
        #expect(longest.indices.contains { longest[$0] != 0 })
    }

    private static let aesKey = octets("2b7e151628aed2a6abf7158809cf4f3c")
    private static let aesPlaintext = octets(
        """
        6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
        30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
        """)

    @Test("AES-128-CBC: SP 800-38A, F.2.1 and F.2.2")
    func cbc() throws {
        let iv = [UInt8](0...15)
        var data = SymmetricTests.aesPlaintext
        var span = data.mutableSpan
        try AES128CBC.encrypt(inPlace: &span, key: SymmetricTests.aesKey.span, iv: iv.span)
        #expect(
            data
                == octets(
                    """
                    7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2
                    73bed6b8e3c1743b7116e69e22229516 3ff1caa1681fac09120eca307586e1a7
                    """))
        span = data.mutableSpan
        try AES128CBC.decrypt(inPlace: &span, key: SymmetricTests.aesKey.span, iv: iv.span)
        #expect(data == SymmetricTests.aesPlaintext)
    }

    @Test("AES-128-CBC takes whole blocks and 16-octet keys and vectors, and nothing else; no data is fine")
    func cbcLengths() throws {
        let key = SymmetricTests.aesKey
        let zero = [UInt8](repeating: 0, count: 16)
        for length in 0...33 {
            var data = [UInt8](repeating: 0x5A, count: length)
            var span = data.mutableSpan
            if length % 16 == 0 {
                try AES128CBC.encrypt(inPlace: &span, key: key.span, iv: zero.span)
                var zeroVector = [UInt8](repeating: 0x5A, count: length)
                span = zeroVector.mutableSpan
                try AES128CBC.encrypt(inPlace: &span, key: key.span)
                #expect(zeroVector == data)
                span = zeroVector.mutableSpan
                try AES128CBC.decrypt(inPlace: &span, key: key.span)
                #expect(zeroVector == [UInt8](repeating: 0x5A, count: length))
            } else {
                #expect(throws: CryptoError.invalidLength) {
                    var span = data.mutableSpan
                    try AES128CBC.encrypt(inPlace: &span, key: key.span, iv: zero.span)
                }
                #expect(data == [UInt8](repeating: 0x5A, count: length))
            }
        }
        for wrong in [0, 15, 17, 24, 32] {
            let octets = [UInt8](repeating: 1, count: wrong)
            #expect(throws: CryptoError.invalidLength) {
                var data = zero
                var span = data.mutableSpan
                try AES128CBC.decrypt(inPlace: &span, key: octets.span, iv: zero.span)
            }
            #expect(throws: CryptoError.invalidLength) {
                var data = zero
                var span = data.mutableSpan
                try AES128CBC.decrypt(inPlace: &span, key: key.span, iv: octets.span)
            }
        }
    }

    @Test("AES-128-CMAC: RFC 4493, 4")
    func cmac() throws {
        let vectors: [(length: Int, tag: String)] = [
            (0, "bb1d6929e95937287fa37d129b756746"), (16, "070a16b46b4d4144f79bdd9dd04a287c"),
            (40, "dfa66747de9ae63030ca32611497c827"), (64, "51f0bebf7e3b9d92fc49741779363cfe"),
        ]
        let message = SymmetricTests.aesPlaintext.span
        for vector in vectors {
            let tag = try AES128CMAC.authenticate(
                key: SymmetricTests.aesKey.span, message.extracting(first: vector.length))
            #expect([UInt8](tag) == octets(vector.tag))
        }
        let short = [UInt8](0...14)
        #expect(throws: CryptoError.invalidLength) {
            try AES128CMAC.authenticate(key: short.span, message)
        }
    }

    @Test("SHA-1: FIPS 180-4 examples")
    func sha1() throws {
        for (message, digest) in [
            ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"), ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        ] {
            let octets = Array(message.utf8)
            #expect(try hex([UInt8](SHA1.hash(octets.span))) == digest)
        }
    }

    /// The GCM specification (McGrew, Viega), appendix B, test cases 13 to 16.
    @Test("AES-256-GCM: the specification's test cases 13 to 16; changes are refused, and leave nothing")
    func gcm() throws {
        let key = octets("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308")
        let nonce = octets("cafebabefacedbaddecaf888")
        let plaintext = octets(
            """
            d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525
            b16aedf5aa0de657ba637b391aafd255
            """)
        let ciphertext = octets(
            """
            522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838
            c5f61e6393ba7a0abcc9f662898015ad
            """)
        let header = octets("feedfacedeadbeeffeedfacedeadbeefabaddad2")
        let zero = [UInt8](repeating: 0, count: 32)
        let vectors: [(key: [UInt8], nonce: [UInt8], header: [UInt8], plaintext: [UInt8], sealed: [UInt8])] = [
            (zero, Array(zero[..<12]), [], [], octets("530f8afbc74536b9a963b4f1c4cb738b")),
            (
                zero, Array(zero[..<12]), [], Array(zero[..<16]),
                octets("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
            ),
            (key, nonce, [], plaintext, ciphertext + octets("b094dac5d93471bdec1a502270e3cc6c")),
            (
                key, nonce, header, Array(plaintext[..<60]),
                ciphertext[..<60] + octets("76fc6ece0f4e1768cddf8853bb2d551b")
            ),
        ]
        for vector in vectors {
            var sealed: [UInt8] = [0xEE]
            try AES256GCM.seal(
                vector.plaintext.span, key: vector.key.span, nonce: vector.nonce.span,
                authenticating: vector.header.span, into: &sealed)
            #expect(hex(sealed) == "ee" + hex(vector.sealed))
            var opened: [UInt8] = [0xEE]
            try AES256GCM.open(
                vector.sealed.span, key: vector.key.span, nonce: vector.nonce.span,
                authenticating: vector.header.span, into: &opened)
            #expect(opened == [0xEE] + vector.plaintext)
            for index in vector.sealed.indices {
                var changed = vector.sealed
                changed[index] ^= 1
                #expect(throws: CryptoError.notAuthentic) {
                    try AES256GCM.open(
                        changed.span, key: vector.key.span, nonce: vector.nonce.span,
                        authenticating: vector.header.span, into: &opened)
                }
            }
            #expect(opened == [0xEE] + vector.plaintext)
        }
        var output: [UInt8] = []
        let short = [UInt8](repeating: 0, count: 15)
        #expect(throws: CryptoError.invalidLength) {
            try AES256GCM.open(
                short.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &output)
        }
        #expect(throws: CryptoError.invalidLength) {
            try AES256GCM.seal(
                short.span, key: short.span, nonce: nonce.span, authenticating: header.span, into: &output)
        }
        #expect(throws: CryptoError.invalidLength) {
            try AES256GCM.seal(
                short.span, key: key.span, nonce: short.span, authenticating: header.span, into: &output)
        }
        #expect(output.isEmpty)
    }

    @Test("Comparison sees every octet and the length")
    func comparison() {
        let octets = [UInt8](0...31)
        func same(_ a: [UInt8], _ b: [UInt8]) -> Bool { constantTimeEqual(a.span, b.span) }
        #expect(same(octets, octets))
        #expect(same([], []))
        for index in octets.indices {
            var other = octets
            other[index] ^= 0x80
            #expect(!same(octets, other))
            #expect(!same(octets, Array(octets[..<index])))
        }
    }

    @Test("Wiping leaves zeroes; the system's source fills all of a span and does not repeat")
    func wipeAndRandom() {
        var source = SystemRandomSource()
        var first = [UInt8](repeating: 0, count: 257)
        var second = first
        var span = first.mutableSpan
        source.fill(&span)
        span = second.mutableSpan
        source.fill(&span)
        #expect(first != second)
        // 32 zero octets in a row by chance: 2 to the power of -248.
        #expect(first.suffix(32).contains { $0 != 0 })
        span = first.mutableSpan
        wipeSecret(&span)
        #expect(first == [UInt8](repeating: 0, count: 257))
    }

    @Test("Secret octets show their length only, and equal the same octets")
    func secretOctets() {
        let secret = SecretOctets([0x73, 0x65, 0x63])
        var shown = "\(secret) \(String(reflecting: secret))"
        dump(secret, to: &shown)
        #expect(shown.contains("3 octets") && !shown.contains("115"))
        #expect(secret == SecretOctets([0x73, 0x65, 0x63]))
        #expect(secret != SecretOctets([0x73, 0x65, 0x64]) && secret != SecretOctets([0x73, 0x65]))
    }
}
