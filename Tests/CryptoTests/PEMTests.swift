// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Crypto
import Testing

@Suite("Keys in files: PEM and DER")
struct PEMTests {
    private static let readable: [String: String] = [
        "PKCS#8": PEMFixtures.pkcs8, "SEC 1": PEMFixtures.sec1, "SEC 1 with parameters": PEMFixtures.sec1WithParameters,
        "SEC 1 without public half": PEMFixtures.sec1WithoutPublicHalf,
    ]

    @Test("Unencrypted PKCS#8 (RFC 5958) and SEC 1 (RFC 5915) are read", arguments: readable.keys.sorted())
    func reads(name: String) throws {
        let key = try P256PrivateKey(try #require(PEMTests.readable[name]))
        #expect([UInt8](key.publicPoint.octets) == Demo.terminalPoint)
        let read = try key.secret(with: Demo.signaturePoint)
        let scalarKey = try P256PrivateKey(Demo.terminalScalar)
        #expect(try scalarKey.secret(with: Demo.signaturePoint) == read)
    }

    @Test("A private key is written as PKCS#8, byte for byte what openssl writes, and read again")
    func privateRoundTrip() throws {
        let key = try P256PrivateKey(Demo.terminalScalar)
        let pem = try key.pem()
        #expect(String(decoding: pem, as: UTF8.self) == PEMFixtures.pkcs8)
        let read = try P256PrivateKey(pem: pem.span)
        #expect([UInt8](read.publicPoint.octets) == Demo.terminalPoint)
        let fresh = try P256PrivateKey.generate()
        let file = try fresh.pem()
        let again = try P256PrivateKey(pem: file.span)
        #expect(again.publicPoint == fresh.publicPoint)
        #expect(fresh.publicPoint != key.publicPoint)
        let secret = try again.secret(with: Demo.terminalPoint)
        #expect(try fresh.secret(with: Demo.terminalPoint) == secret)
    }

    @Test("Encrypted keys are refused, and nobody is asked for a passphrase")
    func encrypted() {
        for pem in [PEMFixtures.encryptedPKCS8, PEMFixtures.encryptedSEC1] {
            #expect(throws: CryptoError.encryptedKey) { try P256PrivateKey(pem) }
        }
    }

    @Test("Other curves, other kinds and a spelled-out curve are refused as unsupported")
    func unsupported() {
        for pem in [PEMFixtures.p384, PEMFixtures.ed25519, PEMFixtures.explicitParameters] {
            #expect(throws: CryptoError.unsupportedKey) { try P256PrivateKey(pem) }
        }
        #expect(throws: CryptoError.unsupportedKey) {
            try P256PublicKey(PEMFixtures.p384PublicKey)
        }
    }

    @Test("A public half of somebody else, a public key as private and the reverse, and no PEM at all are no keys")
    func invalid() {
        for pem in [PEMFixtures.mismatched, PEMFixtures.publicKey, "-----BEGIN PRIVATE KEY-----\n", "key"] {
            #expect(throws: CryptoError.invalidKey) { try P256PrivateKey(pem) }
        }
        #expect(throws: CryptoError.invalidKey) { try P256PublicKey(PEMFixtures.pkcs8) }
        let long = [UInt8](repeating: 0x0A, count: 16_384) + Array(PEMFixtures.pkcs8.utf8)
        for bad in [long, []] {
            #expect(throws: CryptoError.invalidLength) { try P256PrivateKey(pem: bad.span) }
            #expect(throws: CryptoError.invalidLength) { try P256PublicKey(pem: bad.span) }
        }
    }

    @Test("A PEM cut short anywhere is refused, and a changed base64 digit gives an error or a key, never a trap")
    func truncated() throws {
        let pem = Array(PEMFixtures.pkcs8.utf8)
        var accepted = 0
        // The block is still complete without its final line feed.
        for length in 0..<pem.count - 1 where (try? P256PrivateKey(pem: pem.span.extracting(first: length))) != nil {
            accepted += 1
        }
        #expect(accepted == 0)
        for index in pem.indices {
            var spoilt = pem
            spoilt[index] ^= 2
            if let key = try? P256PrivateKey(pem: spoilt.span) {
                #expect([UInt8](key.publicPoint.octets) == Demo.terminalPoint)
            }
        }
    }

    @Test("A public key goes to PEM and back, and a compressed one is read")
    func publicRoundTrip() throws {
        let key = try P256PublicKey(Demo.terminalPoint)
        #expect(String(decoding: try key.pem(), as: UTF8.self) == PEMFixtures.publicKey)
        for pem in [PEMFixtures.publicKey, PEMFixtures.compressedPublicKey] {
            let read = try P256PublicKey(pem)
            #expect(read.point == key.point)
        }
    }

    @Test("SubjectPublicKeyInfo: exactly the 91 octets of RFC 5480, 2")
    func subjectPublicKeyInfo() throws {
        let der = octets("3059301306072a8648ce3d020106082a8648ce3d030107034200") + Demo.terminalPoint
        let key = try P256PublicKey(subjectPublicKeyInfo: der.span)
        #expect(key.der() == der)
        #expect([UInt8](key.point.octets) == Demo.terminalPoint)
        for length in 0..<der.count {
            #expect(throws: CryptoError.invalidKey) {
                try P256PublicKey(subjectPublicKeyInfo: der.span.extracting(first: length))
            }
        }
        let longer = der + [0]
        #expect(throws: CryptoError.invalidKey) { try P256PublicKey(subjectPublicKeyInfo: longer.span) }
        for index in der.indices {
            var spoilt = der
            spoilt[index] ^= 1
            let expected: CryptoError = index < 26 ? .invalidKey : .invalidPoint
            #expect(throws: expected) { try P256PublicKey(subjectPublicKeyInfo: spoilt.span) }
        }
    }

    @Test("A point value checks its form only")
    func pointForm() throws {
        let good = Demo.terminalPoint
        let point = try P256Point(good.span)
        #expect([UInt8](point.octets) == Demo.terminalPoint)
        for bad in [[], Array(Demo.terminalPoint.dropLast()), Demo.terminalPoint + [0], [5] + good[1...]] {
            #expect(throws: CryptoError.invalidPoint) { try P256Point(bad.span) }
        }
    }
}
