// SPDX-License-Identifier: Apache-2.0

import Crypto
import TestSupport
import Testing

@testable import MatterTestSupport

@Suite("AES-128-CCM, PBKDF2 and raw signatures")
struct CCMTests {
    /// Seals with arrays.
    private func seal(_ plaintext: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ header: [UInt8]) throws -> [UInt8] {
        var sealed: [UInt8] = [0xEE]
        try AES128CCM.seal(
            plaintext.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &sealed)
        #expect(sealed.removeFirst() == 0xEE)
        return sealed
    }

    private func open(_ sealed: [UInt8], _ key: [UInt8], _ nonce: [UInt8], _ header: [UInt8]) throws -> [UInt8] {
        var plaintext: [UInt8] = [0xEE]
        defer { #expect(plaintext[0] == 0xEE) }
        do {
            try AES128CCM.open(
                sealed.span, key: key.span, nonce: nonce.span, authenticating: header.span, into: &plaintext)
        } catch {
            #expect(plaintext == [0xEE])
            throw error
        }
        return Array(plaintext.dropFirst())
    }

    /// Matter Core 4.8: nonce of security flags, counter and node 0; the header is authenticated.
    @Test("The recorded messages of a PASE session, both ways")
    func recordedMessages() throws {
        let messages = [
            (PASERecording.initiatorToResponder, MessageRecording.paseReceived, MessageRecording.paseReceivedClear),
            (PASERecording.responderToInitiator, MessageRecording.paseSent, MessageRecording.paseSentClear),
        ]
        for (key, datagram, plaintext) in messages {
            let header = Array(datagram[..<8])
            let nonce = [datagram[3]] + datagram[4..<8] + [UInt8](repeating: 0, count: 8)
            #expect(try seal(plaintext, key, nonce, header) == Array(datagram[8...]))
            #expect(try open(Array(datagram[8...]), key, nonce, header) == plaintext)
        }
    }

    /// The recorded resumption of a CASE session: an empty plaintext, no header.
    @Test("The tag of nothing")
    func emptyPlaintext() throws {
        let key = octets("6912f120e969d4204fa609e93df57fd1")
        let nonce = Array("NCASE_SigmaS1".utf8)
        let tag = octets("523218504df86e0d11e190167af30abf")
        #expect(try seal([], key, nonce, []) == tag)
        #expect(try open(tag, key, nonce, []) == [])
        #expect(throws: CryptoError.notAuthentic) { try open(tag.reversed(), key, nonce, []) }
    }

    @Test("Every changed bit of message, header, nonce and key is found, and nothing is appended")
    func changes() throws {
        let (key, nonce, header) = (Array(0..<16) as [UInt8], Array(16..<29) as [UInt8], Array(29..<37) as [UInt8])
        let sealed = try seal(Array("open the door".utf8), key, nonce, header)
        let fields = [sealed, key, nonce, header]
        for (field, octets) in fields.enumerated() {
            for bit in 0..<octets.count * 8 {
                var changed = fields
                changed[field][bit / 8] ^= 1 << UInt8(bit % 8)
                #expect(throws: CryptoError.notAuthentic) {
                    try open(changed[0], changed[1], changed[2], changed[3])
                }
            }
        }
    }

    @Test("Lengths: every message around the block size, and those that are refused")
    func lengths() throws {
        let (key, nonce) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 13))
        for count in Array(0...49) + [1_280, 65_535] {
            let plaintext = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            let sealed = try seal(plaintext, key, nonce, [])
            #expect(sealed.count == count + AES128CCM.tagCount)
            #expect(try open(sealed, key, nonce, []) == plaintext)
        }
        let long = [UInt8](repeating: 0, count: 65_536)
        let refused = [
            (long, key, nonce), ([], Array(key.dropLast()), nonce), ([], key, Array(nonce.dropLast())),
            ([], key, nonce + [0]), ([], [], nonce), ([], key, []),
        ]
        for (plaintext, key, nonce) in refused {
            #expect(throws: CryptoError.invalidLength) { try seal(plaintext, key, nonce, []) }
            let sealed = plaintext + [UInt8](repeating: 0, count: 16)
            #expect(throws: CryptoError.invalidLength) { try open(sealed, key, nonce, []) }
        }
        for count in 0..<16 {
            #expect(throws: CryptoError.invalidLength) {
                try open([UInt8](repeating: 0, count: count), key, nonce, [])
            }
        }
    }

    /// IEEE 802.11-2020, J.4.2: the pre-shared keys of passphrases.
    @Test(
        "Pre-shared keys of WPA",
        arguments: [
            ("password", "IEEE", "f42c6fc52df0ebef9ebb4b90b38a5f902e83fe1b135a70e23aed762e9710a12e"),
            ("ThisIsAPassword", "ThisIsASSID", "0dc0d6eb90555ed6419756b9a15ec3e3209b63df707dd508d14581f8982721af"),
        ])
    func wpaPreSharedKey(passphrase: String, name: String, key: String) throws {
        let derived = try WPAPreSharedKey.derive(passphrase: Array(passphrase.utf8).span, name: Array(name.utf8).span)
        #expect([UInt8](derived) == octets(key))
    }

    /// RFC 7914, 11: PBKDF2-HMAC-SHA-256.
    @Test("PBKDF2: published vectors, and arguments that are refused")
    func pbkdf2() throws {
        let vectors: [(String, String, Int, String)] = [
            (
                "passwd", "salt", 1,
                """
                55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc
                49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783
                """
            ),
            (
                "Password", "NaCl", 80_000,
                """
                4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56
                a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
                """
            ),
        ]
        for (password, salt, iterations, expected) in vectors {
            let (password, salt) = (Array(password.utf8), Array(salt.utf8))
            let derived = try PBKDF2SHA256.derive(
                password: password.span, salt: salt.span, iterations: iterations, count: 64)
            #expect(derived == octets(expected))
        }
        for (iterations, count) in [(0, 1), (-1, 1), (1, 0), (1, -1), (1 << 31, 1)] {
            #expect(throws: CryptoError.invalidLength) {
                try PBKDF2SHA256.derive(password: Span(), salt: Span(), iterations: iterations, count: count)
            }
        }
    }

    @Test("A raw signature is the DER one's numbers, and verifies only for its message")
    func rawSignatures() throws {
        let key = try P256PrivateKey(Demo.signatureScalar)
        for text in (0..<64).map({ "message \($0)" }) {
            let message = Array(text.utf8)
            let signature = try key.rawSignature(message.span)
            #expect(signature.count == 64)
            #expect(key.publicKey.accepts(raw: signature, for: message))
            #expect(!key.publicKey.accepts(raw: signature, for: message + [0]))
        }
    }

    @Test("Raw signatures that are none: other lengths, zeros, swapped halves")
    func invalidRawSignatures() throws {
        let key = try P256PrivateKey(Demo.signatureScalar)
        let message = Array("message".utf8)
        let signature = try key.rawSignature(message.span)
        let invalid = [
            [] as [UInt8], Array(signature.dropLast()), signature + [0], [UInt8](repeating: 0, count: 64),
            [UInt8](repeating: 0xFF, count: 64), Array(signature[32...] + signature[..<32]),
            [UInt8](repeating: 0, count: 32) + signature[32...],
        ]
        for octets in invalid { #expect(!key.publicKey.accepts(raw: octets, for: message)) }
    }

    /// A signature with a short r: leading zeros are restored.
    @Test("A holder's DER of any shape becomes 64 octets, and other octets are its failure")
    func holdersSignatures() throws {
        let short = octets("3006 0201 05 0201 7f")
        let key = try Holder(answer: short)
        let zeros = [UInt8](repeating: 0, count: 31)
        let raw = try key.rawSignature(Span())
        #expect(raw == zeros + [5] + zeros + [0x7F])
        let faults = [
            "", "30", "3000", "300602010502017f00", "310602010502017f", "300602010503017f", "300602010502027f",
            "3006020105020000",
        ]
        for answer in faults {
            let holder = try Holder(answer: octets(answer))
            #expect(throws: CryptoError.libraryFailure) { try holder.rawSignature(Span()) }
        }
    }

    /// A holder that signs with prepared octets.
    private struct Holder: HeldPrivateKey {
        let answer: [UInt8]
        let publicKey: P256PublicKey

        init(answer: [UInt8]) throws {
            self.answer = answer
            publicKey = try P256PublicKey(Demo.signaturePoint)
        }

        func sharedSecret(with _: Span<UInt8>) throws(CryptoError) -> InlineArray<32, UInt8> { throw .libraryFailure }
        func sign(_: Span<UInt8>, into signature: inout [UInt8]) throws(CryptoError) { signature += answer }
    }
}

extension P256PublicKey {
    /// `isValid(rawSignature:for:)` on arrays.
    fileprivate func accepts(raw signature: [UInt8], for message: [UInt8]) -> Bool {
        isValid(rawSignature: signature.span, for: message.span)
    }
}
